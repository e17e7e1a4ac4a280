"""The types of the compiled core that are committed are those of the core as built."""

import subprocess
import sys
from pathlib import Path

import discriminant


def test_the_committed_stub_is_current(tmp_path):
    fresh = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "discriminant._core", "-o", str(fresh)], check=True
    )
    committed = Path(discriminant.__file__).with_name("_core.pyi")
    assert fresh.read_text() == committed.read_text(), "run `make stubs`"
