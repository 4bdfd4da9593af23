"""What a report of a fault should say of where it happened."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

import plsa
from plsa.engine.threads import built_with

# What the package needs, and what it uses where it is there.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "matplotlib", "pandas")


def show_versions() -> None:
    """Prints the versions that the package runs with, to go with a report of a fault.

    They are those of Python, the machine, this package and its instruction set, the libraries that it uses,
    and the pools of threads of those that have been loaded.

    Examples
    --------
    >>> import plsa
    >>> plsa.show_versions()  # doctest: +ELLIPSIS
    Python ...
    """
    print(f"Python         {sys.version.split()[0]} ({platform.python_implementation()})")
    print(f"machine        {platform.platform()}")
    print(f"plsa           {plsa.__version__} ({built_with()})")
    for name in _LIBRARIES:
        print(f"{name:<14} {_version(name)}")
    for pool in threadpool_info():
        with_threads = f"{pool['num_threads']} threads"
        library = " ".join(filter(None, (pool["internal_api"], pool.get("version"))))
        print(f"{pool['user_api']:<14} {library}, {with_threads}")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
