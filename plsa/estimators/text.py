"""From raw texts and some labels to predictions: a vectorizer and a model in one pipeline."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

from plsa.engine.parameters import Mask
from plsa.estimators.semisupervised import SoftMislabelingPLSA
from plsa.inputs import counted, warn
from plsa.labels.reading import is_missing

# Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese: scripts that put no blanks between words.
_UNSPACED = re.compile(
    "([\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
_FIRST_HAN = "\u3400"  # from here on a sign is a word, or half of one
# Two or more letters or digits. Accents, points and vowel signs that stand by themselves belong to their
# letter, though Python counts them as no part of a word. A Korean syllable may be a word by itself.
_WORD = re.compile(
    r"\b\w[\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff]+|\b[\uac00-\ud7a3]\b"
)
_USUAL_PATTERN = CountVectorizer().token_pattern


class WordCounter(CountVectorizer):
    """scikit-learn's `CountVectorizer`, which says what is wrong with texts and reads every script.

    Where `token_pattern` is left as it comes, a word is two or more letters or digits; of scripts that put no
    blanks between words, such as Chinese, Japanese and Thai, it is every two characters that stand side by
    side, and each Chinese one.
    """

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """What cuts a text into words."""
        return _words_of if self.reads_every_script else super().build_tokenizer()

    @property
    def reads_every_script(self) -> bool:
        """Whether words are those of `spans_of`."""
        return self.tokenizer is None and self.token_pattern == _USUAL_PATTERN

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learns the words of texts and counts them."""
        texts = self._read(raw_documents)
        try:
            return super().fit_transform(texts, y)
        except ValueError as error:
            if re.match("empty vocabulary|After pruning|max_df corresponds", str(error)):
                raise ValueError(self._nothing_left(list(texts))) from None
            raise

    def transform(self, raw_documents: Any) -> Any:
        """Counts the words of texts, those that are known."""
        return super().transform(self._read(raw_documents))

    def _read(self, given: Any) -> Any:
        """The texts, each of them a string."""
        if callable(self.analyzer) or self.input != "content" or isinstance(given, str):
            return given  # scikit-learn, or what the user has written, knows what to do with them
        return read_texts(given)

    def _nothing_left(self, texts: list[str]) -> str:
        """Why there is no word to learn from."""
        if not texts:
            return "there are no texts to learn from: X is empty."
        if not any(len(text.strip()) for text in texts):
            all_are = "the only text is" if len(texts) == 1 else f"all {len(texts)} texts are"
            return f"{all_are} empty: there is no word to learn from."
        found = f"no word is left of the {counted(len(texts), 'text')}"
        analyze = self.build_analyzer()
        if not any(len(analyze(text)) for text in texts):
            stopped = "" if self.stop_words is None else " that is not among the stop words"
            word = f"none has two letters or digits side by side{stopped}"
            if self.analyzer != "word" or self.token_pattern != _USUAL_PATTERN or self.tokenizer is not None:
                word = f"the vectorizer finds none in any of them{stopped}"
            marks = r"vectorizer=CountVectorizer(token_pattern=r'\S+')"
            return f"{found}: {word}. To count whatever stands between blanks, pass {marks}."
        limits = f"all stand in more than max_df == {self.max_df} of the texts, or in fewer than min_df =="
        what = "Give more texts, or a vectorizer with other limits, such as CountVectorizer(max_df=1.0)"
        return f"{found}: {limits} {self.min_df}. {what}."


class WordAndPieceCounter(WordCounter):
    """A `WordCounter` that counts pieces of words too where texts are short.

    Words of short texts hardly meet again; pieces of them do, of their forms, compounds and misspellings. A
    piece is four characters of a word, or three at its beginning or end: of "teams", "tea-", "-team-",
    "-eams-", "-ams". Texts are short that have fewer than 30 words on average, those of nothing aside.

    Attributes
    ----------
    short_ : bool
        Whether texts were short.
    """

    short_ = False

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """What makes the words of a text, and the pieces of those that are no stop words."""
        usual = super().build_analyzer()
        if not self.short_ or self.analyzer != "word":
            return usual
        preprocess, tokenize, stopped = (
            self.build_preprocessor(),
            self.build_tokenizer(),
            self.get_stop_words(),
        )
        cut = lru_cache(maxsize=None)(pieces_of)  # as long as this analyzer is there

        def words_and_pieces(text: Any) -> list[str]:
            words = tokenize(preprocess(self.decode(text)))
            pieces = [piece for word in words if word not in (stopped or ()) for piece in cut(word)]
            return [*usual(text), *pieces]

        return words_and_pieces

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learns the words of texts, and their pieces where texts are short, and counts them."""
        texts, before = self._read(raw_documents), self.short_
        self.short_ = self._are_short(texts)
        try:
            return super().fit_transform(texts, y)
        except BaseException:
            self.short_ = before
            raise

    def is_piece(self) -> Mask:
        """Which columns count pieces."""
        names = [str(name) for name in self.get_feature_names_out()]
        return np.array([self.short_ and (n.startswith(_GOES_ON) or n.endswith(_GOES_ON)) for n in names])

    def _are_short(self, texts: Any) -> bool:
        if self.analyzer != "word" or self.input != "content" or isinstance(texts, str):
            return False
        n_words = np.array([len(text.split()) for text in texts])
        return bool(n_words.any() and n_words[n_words > 0].mean() < _SHORT)


_SHORT = 30  # words: of 16 corpora, half had up to 20 and gained, half 89 or more, some of which lost
_PIECE = 4  # characters
_GOES_ON = "-"  # no part of a word as `WordCounter` has it


def pieces_of(word: str) -> list[str]:
    """Four neighbors each, the ends of the word among them. Words of two letters have none."""
    if len(word) < _PIECE - 1 or _UNSPACED.match(word):
        return []
    whole = f" {word} "
    pieces = [whole[at : at + _PIECE] for at in range(len(whole) - _PIECE + 1)]
    return [
        ("" if piece[0] == " " else _GOES_ON) + piece.strip(" ") + ("" if piece[-1] == " " else _GOES_ON)
        for piece in pieces
    ]


def _words_of(text: str) -> list[str]:
    """The words of a text; of a script without blanks every two neighbors, and signs that stand for words."""
    if _UNSPACED.search(text):
        return [text[start:end] for start, end in spans_of(text)]
    return _WORD.findall(text)


def spans_of(text: str) -> list[tuple[int, int]]:
    """Where these words begin and end."""
    spans, begin = [], 0
    for place, part in enumerate(_UNSPACED.split(text)):
        if place % 2:
            spans += [(begin + at, begin + at + 2) for at in range(len(part) - 1)]
            alone = (at for at, sign in enumerate(part) if sign >= _FIRST_HAN or len(part) == 1)
            spans += [(begin + at, begin + at + 1) for at in alone]
        else:
            spans += [(begin + found.start(), begin + found.end()) for found in _WORD.finditer(part)]
        begin += len(part)
    return spans


def read_texts(given: Any) -> Any:
    """Texts, each of them a string; what is none is refused, with its row."""
    texts = _column(given)
    for row, text in enumerate(texts):
        if not isinstance(text, str | bytes):
            raise ValueError(f"row {row} of the texts holds {_described(text)}.")
    return texts


def _column(given: Any) -> Any:
    """A table of one column as that column; anything else that is not a row of texts is refused."""
    if sparse.issparse(given) or getattr(getattr(given, "dtype", None), "kind", "O") in "iufbc":
        what = f"counts or other numbers ({type(given).__name__})"
        way = "Pass texts, or the counts to its model alone: pipeline[-1]"
        raise ValueError(f"X holds {what}, but this pipeline counts the words of texts. {way}.")
    if isinstance(given, Mapping):
        raise ValueError(f"X is a {type(given).__name__}, but must be a list of texts: pass its values.")
    if getattr(given, "ndim", 1) == 2:
        if given.shape[1] != 1:
            names = ", ".join(repr(name) for name in getattr(given, "columns", [])[:5]) or "no names"
            found = f"X is a table of {given.shape[1]} columns ({names}), but must be one of texts"
            raise ValueError(f"{found}: pass that column alone.")
        return np.asarray(given)[:, 0]
    return given if hasattr(given, "__len__") else list(given)


def _described(text: Any) -> str:
    """What stands in the place of a text, and what to do."""
    if isinstance(text, list | tuple | set | np.ndarray):
        tokens = "join it by blanks, or pass vectorizer=CountVectorizer(analyzer=list) for all"
        return f"a {type(text).__name__} of {len(text)}, but must hold a text: {tokens}"
    if is_missing(text):
        return f"{text!r}, but must hold a text: put '' there, or leave the row and its label out"
    return f"{text!r} ({type(text).__name__}), but must hold a text: make it a string"


def text_classifier(model: Any = None, *, vectorizer: Any = None, **parameters: Any) -> Pipeline:
    """A pipeline that learns from texts of which some have labels, and classifies others.

    Parameters
    ----------
    model : estimator or None, default=None
        What learns from the counts; None: `SoftMislabelingPLSA`.
    vectorizer : transformer or None, default=None
        What makes counts of texts. None: a `CountVectorizer` for words of two or more letters or digits, in
        lower case, without the very frequent ones (in more than half of the texts); words that stand in one
        text only are kept, as a small corpus has little else, and weigh little. Of scripts without blanks
        between words (Chinese, Japanese, Thai, ...) it counts every two characters that stand side by side,
        and each Chinese one; for words pass `CountVectorizer(tokenizer=...)`, for words of one letter
        `CountVectorizer(token_pattern=r"\\w+")`. Where texts have fewer than 30 words on average, it counts
        pieces of words too, four characters each, such as "-team-" of "steams", which `top_words` leaves out;
        `CountVectorizer(max_df=0.5)` counts whole words alone.
    **parameters
        Parameters of the model, such as `topics_per_class=2`, `random_state=0`, `verbose=1` or
        `unlabeled="?"`.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With the steps "countvectorizer" and "softmislabelingplsa", or as the given ones are called. `fit`
        takes a list of texts and a list of labels in which None, NaN, '' or -1 marks a text without a label.

    Notes
    -----
    scikit-learn's tools do not know missing labels: `GridSearchCV` and `cross_val_score` need
    `cv=plsa.LabeledKFold(5)`, where `cv=5` fails ("'<' not supported between instances of 'NoneType' and
    'str'") or scores -1 as a class, and `plsa.cross_val_predict` stands in for its own. The notes of
    `LabeledKFold` tell more.

    Examples
    --------
    >>> from plsa import text_classifier
    >>> texts = ["tea and milk", "a cup of tea", "cup and milk", "goal and ball", "a ball team", "team goal"]
    >>> labels = ["food", None, None, "sport", None, None]
    >>> text_classifier(random_state=0).fit(texts, labels).predict(["milk in a cup", "the team"])
    array(['food', 'sport'], dtype='<U5')
    """
    model = SoftMislabelingPLSA() if model is None else _instance(model, "model", "SoftMislabelingPLSA()")
    if isinstance(model, Pipeline):
        raise TypeError("model is a Pipeline: pass what learns from counts, such as its last step.")
    if hasattr(model, "build_analyzer"):
        raise TypeError(f"model == {model!r} counts words and learns nothing: pass it as vectorizer=.")
    if vectorizer is None:
        vectorizer = WordAndPieceCounter(max_df=0.5)
    vectorizer = _instance(vectorizer, "vectorizer", "CountVectorizer()")
    if hasattr(vectorizer, "predict") or not hasattr(vectorizer, "transform"):
        makes = "but must make counts of texts, as CountVectorizer() does"
        raise TypeError(f"vectorizer == {vectorizer!r}, {makes}; what learns is the model.")
    if isinstance(vectorizer, TfidfVectorizer):
        wants = f"but {type(model).__name__} learns from counts of words"
        warn(f"{type(vectorizer).__name__} makes weights, {wants}: pass a CountVectorizer.")
    known = model.get_params(deep=False)
    for name in parameters:
        if name not in known:
            if name in vectorizer.get_params():
                counter = CountVectorizer if isinstance(vectorizer, WordCounter) else type(vectorizer)
                its = f"pass vectorizer={counter.__name__}({name}={parameters[name]!r})"
                raise TypeError(f"{name!r} is a parameter of the vectorizer: {its}.")
            having = ", ".join(sorted(known))
            raise TypeError(f"{type(model).__name__} has no parameter {name!r}; it has {having}.")
    model = clone(model).set_params(**parameters)
    # The pipeline says how long the counting of words took, the model what it is at.
    pipeline = make_pipeline(vectorizer, model, verbose=bool(getattr(model, "verbose", 0)))
    if type(vectorizer) is CountVectorizer:
        vectorizer = WordCounter(**vectorizer.get_params())
    if isinstance(vectorizer, WordCounter):
        pipeline.steps[0] = ("countvectorizer", vectorizer)
    return pipeline


def _instance(given: Any, name: str, such_as: str) -> Any:
    """An estimator, and no class of them."""
    if isinstance(given, type):
        raise TypeError(f"{name} is the class {given.__name__}, but must be an instance: {given.__name__}().")
    if not hasattr(given, "get_params") or not hasattr(given, "fit"):
        raise TypeError(f"{name} == {given!r}, but must be an estimator such as {such_as}.")
    return given
