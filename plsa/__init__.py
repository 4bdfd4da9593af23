"""Aspect models (PLSA) learnt from partially labelled text.

`PLSA` finds topics, `PLSAClassifier` learns classes from labels, `CountScaler` prepares counts: all
of them are scikit-learn estimators. `top_words` shows what was learnt; `plsa.datasets` has corpora
that need no download.
"""

from plsa import datasets
from plsa.inspection import top_words
from plsa.scaling import CountScaler
from plsa.supervised import PLSAClassifier
from plsa.topics import PLSA

__version__ = "0.1.0"

__all__ = ["PLSA", "CountScaler", "PLSAClassifier", "__version__", "datasets", "top_words"]
