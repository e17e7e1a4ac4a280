"""The Python in the README runs, and says what it says."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_readmes_python_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    assert capsys.readouterr().out.startswith("CONVERGED: the solution was reached (route=cholesky, rank=4")
    assert names["model"].transform(names["X"]).shape == (342, 2)
