"""docs/how_it_works.md names every source file, each once, and none that is not there; links lead somewhere."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "discriminant"
PAGE = (ROOT / "docs" / "how_it_works.md").read_text()


def sources():
    """Every Python file that does something, as the page names it; datasets are named by their folder."""
    paths = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    return sorted({path if not path.startswith("datasets/") else "datasets/" for path in paths})


@pytest.mark.parametrize("path", sources())
def test_every_file_is_named_once(path):
    assert PAGE.count(f"`{path}`") == 1


def test_every_name_is_a_file():
    named = [name for name in re.findall(r"`([\w./]+)`", PAGE) if "/" in name or name.endswith(".py")]
    assert len(named) > 50
    for name in named:
        assert (PACKAGE / name).exists() or (ROOT / name).exists(), name


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_table_of_what_runs_where_is_current():
    spec = importlib.util.spec_from_file_location("supported", ROOT / "docs" / "supported.py")
    supported = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(supported)
    assert supported.page() == (ROOT / "docs" / "supported.md").read_text(), "run `python docs/supported.py`"
