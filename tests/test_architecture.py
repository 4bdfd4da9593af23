"""Who may import whom: each line of code knows its room."""

import ast
from pathlib import Path

import pytest

import plsa

PACKAGE = Path(plsa.__file__).parent

# What of ours each module may import. Data enters by inputs, goes round em and leaves by the estimators.
MAY_IMPORT = {
    "parameters": {"_kernels"},
    "em": {"parameters"},
    "threads": {"_kernels"},
    "counts": {"parameters"},
    "steps": {"_kernels", "counts", "parameters", "threads"},
    "progress": {"em"},
    "inputs": {"counts", "parameters"},
    "supervision": {"inputs"},
    "start": {"counts", "parameters", "supervision"},
    "scaling": {"counts", "inputs"},
    "fitting": {"counts", "em", "inputs", "parameters", "progress"},
    "aspect": {"counts", "em", "fitting", "inputs", "parameters", "steps"},
    "topics": {"aspect", "counts", "em", "inputs", "parameters", "start", "steps"},
    "mixture_steps": {"_kernels", "counts", "gates", "parameters", "steps", "threads"},
    "gates": {"supervision"},
    "student": {"counts", "parameters", "scaling"},
    "evidence": {"counts", "parameters", "scaling", "supervision"},
    "classifying": {"counts", "evidence", "fitting", "inputs", "scaling", "supervision"},
    "labelled": {
        "aspect", "classifying", "counts", "evidence", "gates", "inputs", "parameters", "scaling", "start",
        "steps", "student", "supervision",
    },
    "supervised": {"em", "evidence", "labelled", "supervision"},
    "semisupervised": {
        "counts", "em", "evidence", "fitting", "gates", "inputs", "labelled", "parameters", "scaling",
        "steps", "student", "supervision",
    },
    "mixtures": {
        "classifying", "counts", "em", "evidence", "fitting", "gates", "inputs", "mixture_steps",
        "parameters", "progress", "scaling", "supervision",
    },
    "positives": {"counts", "inputs", "supervision"},
    "linked_means": set(),
    "positive_rivals": {
        "counts", "gates", "inputs", "linked_means", "mixture_steps", "parameters", "positives", "scaling",
        "student", "supervision",
    },
    "links": {"parameters", "steps"},
    "committee": {"counts", "em", "linked_means", "parameters", "positives", "start", "steps"},
    "topic_sensitive": {
        "aspect", "committee", "counts", "em", "evidence", "inputs", "links", "parameters", "positives",
        "progress", "scaling", "start", "student", "supervision",
    },
    "comparison": {
        "inputs", "inspection", "positive_rivals", "positives", "progress", "supervision", "topic_sensitive",
    },
    "queries": set(),
    "session": {"inputs"},
    "pool": {
        "counts", "evidence", "inputs", "labelled", "parameters", "scaling", "semisupervised", "start",
        "steps", "student", "supervision",
    },
    "active": {"inputs", "linked_means", "pool", "queries", "session", "supervision"},
    "simulation": {"active", "inputs", "inspection", "pool", "progress"},
    "text": {"inputs", "semisupervised"},
    "datasets": {"inputs"},
    "inspection": {"inputs"},
    "selection": {"counts", "inputs", "supervision"},
    "cli": {
        "_kernels", "datasets", "inputs", "inspection", "scaling", "semisupervised", "supervised",
        "threads", "topics",
    },
}  # fmt: skip

# The outside world is for some: the loop is plain Python, and only estimators know scikit-learn.
OUTSIDE = {
    "em": set(),
    "parameters": {"numpy"},
    "threads": {"joblib"},
    "steps": {"numpy"},
    "mixture_steps": {"numpy", "scipy"},
    "progress": {"numpy"},
    "supervision": {"numpy"},
    "gates": {"numpy"},
    "start": {"numpy", "scipy"},
}

STANDARD = {
    "__future__", "collections", "dataclasses", "numbers", "os", "sys", "time", "typing", "warnings",
}  # fmt: skip


def imported(path):
    """The top names of a module's imports: ours without the prefix, then others."""
    ours, others = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"plsa.{alias.name}" for alias in node.names] if node.module == "plsa" else [node.module]
        for name in names:
            parts = name.split(".")
            (ours.add(parts[1]) if parts[0] == "plsa" and len(parts) > 1 else others.add(parts[0]))
    return ours, others


def test_every_module_has_its_place():
    """A new module says here what it may import."""
    found = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert found == set(MAY_IMPORT)


@pytest.mark.parametrize("module", sorted(MAY_IMPORT))
def test_imports(module):
    """A module imports what it may, and nothing flows back."""
    ours, others = imported(PACKAGE / f"{module}.py")
    names = {path.stem for path in PACKAGE.glob("*.py")} | {"_kernels"}
    assert ours & names <= MAY_IMPORT[module]
    if module in OUTSIDE:
        assert others - STANDARD <= OUTSIDE[module]


def test_only_inputs_raises_input_errors_of_shape_and_sign():
    """The modules of the loop raise nothing about what a user handed in."""
    for module in ("em", "steps", "parameters", "start", "threads", "progress"):
        tree = ast.parse((PACKAGE / f"{module}.py").read_text())
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]


def test_the_reference_never_uses_the_library():
    """tests/reference.py stands by itself."""
    _, others = imported(Path(__file__).parent / "reference.py")
    assert others <= {"numpy", "__future__", "dataclasses", "typing", "collections", "itertools", "math"}
