"""Corpora: docstrings of the installed packages, documents drawn from the model, a user's files.

Nothing here downloads anything, and nothing here knows the models: what comes out is what
`CountVectorizer` or an estimator takes in.
"""

from plsa.datasets.docstrings import load_docstrings
from plsa.datasets.files import read_corpus
from plsa.datasets.planted import planted_corpus

__all__ = ["load_docstrings", "planted_corpus", "read_corpus"]


def __dir__() -> list[str]:
    """What is public."""
    return __all__
