"""Examples that people copy: they run, and print what they say."""

import doctest
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import plsa

PACKAGE = Path(plsa.__file__).parent
ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
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


@pytest.mark.parametrize("module", [plsa, plsa.datasets], ids=lambda module: module.__name__)
def test_only_public_names_are_listed(module):
    """What a user sees after a dot."""
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in dir(module))


def test_the_package_says_what_is_in_it():
    """Its docstring is a map of every public name, and names nothing else."""
    assert {*re.findall(r"`(\w+)`", plsa.__doc__)} == {*plsa.__all__}


def test_one_version():
    """The package, its build, its metadata and its citation say the same."""
    said = {
        "plsa/__init__.py": plsa.__version__,
        "installed": metadata.version("plsa-learn"),
        "meson.build": re.search(r"version: '(.*?)'", (ROOT / "meson.build").read_text()).group(1),
        "CITATION.cff": re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M).group(1),
    }
    assert len(set(said.values())) == 1, said


def blocks_of(page):
    """What a page shows as Python."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page)], ids=lambda page: page.name)
def test_examples_of_pages(page, capsys):
    """They run; the first of the README prints what its comment says."""
    for block in blocks_of(page):
        exec(compile(block, page.name, "exec"), {})
    assert page.name != "README.md" or "['food' 'sport']" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_pages(page):
    """What a page links to in the repository is there, and so are the headings that it names."""
    for target, heading in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)", page.read_text()):
        there = page.parent / target if target else page
        assert there.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", there.read_text(), flags=re.M)
            assert heading in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_numbers_of_where_we_differ(capsys):
    """Its example prints what its comments say, and every name of ours that it has is there."""
    (page_of,) = [page for page in PAGES if page.name == "where-we-differ.md"]
    page, (block,) = page_of.read_text(), blocks_of(page_of)
    exec(compile(block, page_of.name, "exec"), {})
    said = re.findall(r"^print.*# (-?[\d.]+)", block, flags=re.M)
    assert capsys.readouterr().out.split() == said
    assert len(said) == 6
    for name, method in re.findall(r"`(\w+)\.(\w+)(?:\(.*?\))?`", page):
        if hasattr(plsa, name):
            assert hasattr(getattr(plsa, name), method)


def test_sources_without_compiled_code_say_so(tmp_path):
    """In a checkout that is not installed: what the folder is, and what to do."""
    shutil.copytree(PACKAGE, tmp_path / "plsa", ignore=shutil.ignore_patterns("_kernels", "__pycache__"))
    command = [sys.executable, "-S", "-c", "import plsa"]  # -S: no installed packages
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "holds the sources of plsa and no compiled code. Install it (pip install ." in done.stderr


def test_a_page_says_which_models_take_what():
    """Its table is true of every class in it, and every estimator of documents is in it."""
    page = (ROOT / "docs" / "models.md").read_text()
    rows = re.findall(r"^\| (`\w+`.*?) \| (.*?) \| (yes|no) \| (yes|no) \| (.*?) \|$", page, flags=re.M)
    named = set()
    for models, weight, threads, verbose, told in rows:
        for name in re.findall(r"`(\w+)`", models):
            named.add(name)
            model = getattr(plsa, name)
            parameters = inspect.signature(model).parameters
            assert ("sample_weight" in inspect.signature(model.fit).parameters) is (weight == "yes"), name
            assert ("n_threads" in parameters) is (threads == "yes"), name
            assert ("verbose" in parameters) is ("callback" in parameters) is (verbose == "yes"), name
            assert ("stop_reason_ :" in model.__doc__) is (told == "yes"), name
            assert ("objective_trace_ :" in model.__doc__) is (told == "yes" or f"`{name}`" in told), name
    estimators = [name for name in plsa.__all__ if hasattr(getattr(plsa, name), "get_params")]
    assert named == {*estimators} - {"CountScaler"}
