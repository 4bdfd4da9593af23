"""An explanation as a value: plain data that prints well, and renders in a notebook."""

from dataclasses import asdict, dataclass
from typing import Any

from plsa.show import rendering


@dataclass(frozen=True, slots=True)
class ClassScore:
    """What a document has for a class, beside the mean of all classes or beside another one."""

    label: Any
    against: Any  # the other class; None: the mean of all
    probability: float | None  # as the model says it; None where it says none
    against_probability: float | None  # the same of the other class
    score: float  # the constants plus the shares of all words
    constants: dict[str, float]  # what is not the share of a word


@dataclass(frozen=True, slots=True)
class WordShare:
    """What a word of the document adds to each of the scores."""

    word: str
    count: float  # how often it stands there
    shares: tuple[float, ...]  # in the order of `classes`


@dataclass(frozen=True, slots=True)
class TextShare:
    """A word where it stands in the text, and what it adds to the first score there."""

    start: int
    end: int
    word: str
    share: float


@dataclass(frozen=True, slots=True)
class DocumentTopic:
    """A topic of the document."""

    topic: int  # row of `components_`
    label: Any  # the topic's class; None where it has none
    share: float  # P(topic|document)
    words: tuple[str, ...]  # that say most about the topic


@dataclass(frozen=True, slots=True)
class SimilarDocument:
    """A labeled document that is like the one explained."""

    row: int
    label: Any
    similarity: float  # cosine
    text: str | None  # where documents are texts


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a document has its label; see `plsa.explain`. Prints as tables, and shades words in a notebook."""

    label: Any  # the class that the model predicts
    by: str  # what decides
    of: str  # what the scores are of: "log P(class)", "P(class)", "P(topic)" or "decision value"
    n_classes: int  # that were learned
    classes: tuple[ClassScore, ...]  # the first of them, the predicted one at the head
    words: tuple[WordShare, ...]  # that are known; first those that say most of the first class
    topics: tuple[DocumentTopic, ...]
    similar: tuple[SimilarDocument, ...]
    text: str | None  # the document, where it is a text
    places: tuple[TextShare, ...]  # of the words in the text, in its order
    notes: tuple[str, ...]  # what is to be known beside
    n_words: int  # so many are shown; the others are summed up

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries, lists, strings and numbers."""
        return asdict(self)

    def __repr__(self) -> str:
        return rendering.explanation_lines(self)

    def to_html(self) -> str:
        """The text with its words shaded, and tables; markup in the text is shown as it is."""
        return rendering.explanation_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()
