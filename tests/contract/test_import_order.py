"""Imports go one way, without cycles and without delays, and importing the package loads no optional library."""

import ast
import graphlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from contract.registry import OPTIONAL

import discriminant

ROOT = Path(discriminant.__file__).parent

# From the ground up. A module may import from its own layer and from those above it in this list, never from below.
LAYERS = [
    ["_core", "errors"],
    ["result", "parameters", "settings"],
    ["versions", "losses", "datasets"],
    ["blocks"],
    ["passes"],
    ["places"],
    ["solvers"],
    ["proof"],
    ["frames", "labels"],
    ["weights"],
    ["door"],
    ["learners"],
    ["combine", "geometry"],
    ["model_files", "tables", "plots"],
    ["cli", "app"],
    ["discriminant"],  # the public names, and nothing else
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def sources():
    """{module: its file}."""
    out = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ["discriminant", *path.relative_to(ROOT).with_suffix("").parts]
        out[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return out


SOURCES = sources()


def room(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def imports(path):
    """Every imported name with its line and whether it stands inside a function."""
    tree = ast.parse(path.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, id(node) in inside
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: say the whole name of the module"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                known = whole in SOURCES or whole == "discriminant._core"
                yield whole if known else node.module, node.lineno, id(node) in inside


EDGES = [(module, target, f"{path.relative_to(ROOT)}:{line}", delayed) for module, path in SOURCES.items()
         for target, line, delayed in imports(path)]
OWN = [(module, target, at) for module, target, at, _ in EDGES if target.split(".")[0] == "discriminant"]


def test_every_room_has_its_place_in_the_order():
    rooms = {room(module) for module in SOURCES}
    assert rooms <= set(LEVEL), f"say in LAYERS of {__file__} where {sorted(rooms - set(LEVEL))} belongs"
    assert len(OWN) > 50


def test_imports_go_one_way():
    wrong = [f"{at} imports {target}" for module, target, at in OWN if LEVEL[room(target)] > LEVEL[room(module)]]
    assert not wrong, "\n".join(["these imports go up:", *wrong])


def test_rooms_of_one_layer_do_not_know_each_other():
    wrong = [f"{at} imports {target}" for module, target, at in OWN
             if room(target) != room(module) and LEVEL[room(target)] == LEVEL[room(module)]
             and {room(target), room(module)} != {"_core", "errors"}]
    assert not wrong, "\n".join(["give these rooms layers of their own:", *wrong])


def test_nothing_imports_the_package_itself():
    wrong = [f"{at}" for module, target, at in OWN if target == "discriminant"]
    assert not wrong, f"import the module that holds the name instead: {wrong}"


def test_there_are_no_cycles():
    graph = {}
    for module, target, _ in OWN:
        graph.setdefault(module, set()).add(target)
    try:
        list(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"a cycle: {' -> '.join(error.args[1])}")


def test_imports_inside_functions_are_of_optional_libraries_only():
    wrong = [f"{at} imports {target}" for _, target, at, delayed in EDGES
             if delayed and target.split(".")[0] not in OPTIONAL]
    assert not wrong, wrong


def test_an_optional_library_is_imported_in_one_file_only_and_never_at_the_top():
    for library in OPTIONAL:
        found = [(module, at, delayed) for module, target, at, delayed in EDGES if target.split(".")[0] == library]
        rooms = {room(module) for module, _, _ in found}
        assert len({module for module, _, _ in found}) <= 1 or rooms <= {"plots", "app"}, f"{library}: {found}"
        top = [at for module, at, delayed in found if not delayed and room(module) not in ("plots", "app")]
        loose = [at for at in top if "TYPE_CHECKING" not in (ROOT / at.split(":")[0]).read_text()]
        assert not loose, f"{library}: {loose}"


@pytest.fixture(scope="module")
def loaded():
    """What `import sklearn.base` and `import discriminant` load, each in a process of its own."""
    text = "import json, sys, {}; print(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    return [set(json.loads(subprocess.run([sys.executable, "-c", text.format(name)], capture_output=True, text=True,
                                          check=True).stdout)) for name in ("sklearn.base", "discriminant")]


def test_importing_the_package_loads_no_optional_library(loaded):
    sklearn, ours = loaded
    assert not (ours - sklearn) & OPTIONAL, f"import discriminant also loads {sorted((ours - sklearn) & OPTIONAL)}"


def test_importing_the_package_loads_only_what_it_requires(loaded):
    sklearn, ours = loaded
    third_party = {name for name in ours - sklearn if name not in sys.stdlib_module_names and not name.startswith("_")}
    assert third_party <= {"discriminant", "narwhals"}, third_party
