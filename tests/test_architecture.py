"""The order of the rooms is the architecture: each line of code knows its room."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import plsa

PACKAGE = Path(plsa.__file__).parent

# A room imports only itself and rooms before it.
ROOMS = (
    "_kernels",
    "engine",
    "inputs",
    "labels",
    "learning",
    "estimators",
    "baselines",
    "files",
    "show",
    "evaluation",
    "active",
    "datasets",
    "app",
)
DOORS = {"__init__.py", "__main__.py"}
# Compiled code has its sources at the top level, and its folder only where the package is installed.
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if "_kernels" not in path.parts)


def imports(path):
    """Where a module imports from, and the names: ("plsa.engine.em", ["run"]), ("numpy", [])."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module, [alias.name for alias in node.names]


def rooms_of(path):
    """The rooms that a module imports from."""
    for module, names in imports(path):
        if module == "plsa":
            yield from (name for name in names if name in ROOMS)
        elif module.startswith("plsa."):
            yield module.split(".")[1]


def test_every_module_is_in_a_room():
    """Rooms are folders, and there is nothing beside them but two doors."""
    assert {path.parts[0] for path in MODULES} - DOORS == {*ROOMS} - {"_kernels"}


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_room_imports_only_those_before_it(module):
    """Nothing flows back."""
    if module.parts[0] in DOORS:
        return
    here = ROOMS.index(module.parts[0])
    assert {room for room in rooms_of(PACKAGE / module) if ROOMS.index(room) > here} == set()


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_outside_libraries_have_their_rooms(module):
    """Kernels are the engine's, scikit-learn begins with the estimators, matplotlib is for `show`."""
    room = module.parts[0]
    here = {name.split(".")[0] for name, _ in imports(PACKAGE / module)}
    if room in ROOMS[: ROOMS.index("estimators")]:
        assert "sklearn" not in here
    if room != "show":
        assert "matplotlib" not in here
    if room != "engine":
        assert "_kernels" not in set(rooms_of(PACKAGE / module))


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_no_underscore_crosses_a_module(module):
    """What another module needs has a name without an underscore."""
    path = PACKAGE / module
    for origin, names in imports(path):
        if origin.split(".")[0] == "plsa":
            assert [n for n in names if n.startswith("_") and n not in ("_kernels", "__version__")] == []
    tree = ast.parse(path.read_text())
    own = {"self", "cls"}
    crossed = [
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id not in own
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
    ]
    assert crossed == []


def test_the_engine_raises_nothing_about_input():
    """What a user handed in is checked before it comes here; Ctrl-C goes on."""
    for path in (PACKAGE / "engine").glob("*.py"):
        raised = [node.exc for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Raise)]
        assert [ast.unparse(each) for each in raised if each] in ([], ["KeyboardInterrupt"])


def test_the_reference_never_uses_the_library():
    """tests/reference.py stands by itself."""
    others = {name.split(".")[0] for name, _ in imports(Path(__file__).parent / "reference.py")}
    assert others <= {"numpy", "__future__", "dataclasses", "typing", "collections", "itertools", "math"}


def test_importing_the_package_imports_nothing_heavy():
    """Names are found when they are asked for: `plsa --help` and shell completion come at once."""
    code = (
        "import sys, plsa; early = {n.partition('.')[0] for n in sys.modules};"
        "from plsa import *; print(*({'numpy', 'scipy', 'sklearn', 'argparse'} & early),"
        "sorted(n for n in plsa.__all__ if n not in globals()), plsa.PLSA is PLSA, plsa.datasets is datasets,"
        "plsa.baselines.__name__)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] True True plsa.baselines\n"


def test_tools_that_only_read_see_the_public_names():
    """What is imported for them is what is found when the program runs, and nothing more."""
    (block,) = [node for node in ast.parse(inspect.getsource(plsa)).body if isinstance(node, ast.If)][1:]
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    seen = {}
    for node in block.body:
        for alias in node.names:
            assert alias.name == alias.asname, "this form is what makes a name public"
            seen[alias.name] = node.module
    assert {*seen, "__version__"} == {*plsa.__all__}
    for name, module in seen.items():
        found = getattr(plsa, name)
        assert found is getattr(sys.modules[module], name)


def test_a_wrong_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'plsa' has no attribute 'PSLA'") as raised:
        plsa.PSLA  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("PSLA", plsa)  # Python then says: did you mean PLSA?
    assert not hasattr(plsa, "a.b")
    with pytest.raises(ImportError):
        from plsa import nothing  # noqa: F401
