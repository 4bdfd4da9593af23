"""Examples that people copy: they run, and print what they say."""

import doctest
import importlib
import re
from importlib import metadata
from pathlib import Path

import pytest

import plsa

PACKAGE = Path(plsa.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in PACKAGE.rglob("*.py")
)


@pytest.mark.parametrize("module", [m for m in MODULES if not m.endswith("__init__")])
def test_docstring_examples(module):
    """Every doctest of a module passes."""
    result = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("name", [n for n in plsa.__all__ if n not in ("__version__", "datasets")])
def test_public_names_have_examples(name):
    """What is public has a docstring with an example."""
    assert ">>>" in getattr(plsa, name).__doc__


def test_one_version():
    """The package, its build, its metadata and its citation say the same."""
    root = Path(__file__).parent.parent
    said = {
        "plsa/__init__.py": plsa.__version__,
        "installed": metadata.version("plsa-learn"),
        "meson.build": re.search(r"version: '(.*?)'", (root / "meson.build").read_text()).group(1),
        "CITATION.cff": re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.M).group(1),
    }
    assert len(set(said.values())) == 1, said


def test_readme_example(capsys):
    """The README's example runs and prints what its comments say."""
    readme = (Path(__file__).parent.parent / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", readme, flags=re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "['food' 'sport']" in capsys.readouterr().out
