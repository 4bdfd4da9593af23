"""What a person who labels has before them: the document that is next, its guess, classes, what was done.

It knows the session and no terminal. What a person does is a command, a short string; see `Desk.act`.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plsa.active.learner import ActiveLearner
from plsa.app import reading
from plsa.app.page import say
from plsa.app.writing import Rows, check_output, form_of, written_whole
from plsa.engine.parameters import Floats
from plsa.estimators.semisupervised import SoftMislabelingPLSA
from plsa.estimators.text import text_classifier
from plsa.inputs import counted

_WORDS = 8  # that speak for a guess
_MOST = 5  # guesses that are told
_TELLING = 0.5  # log of how much more frequent a word has to be in a class than elsewhere


@dataclass(frozen=True, slots=True)
class Guess:
    """What the model makes of a document."""

    classes: tuple[str, ...]  # the most probable first
    chances: tuple[float, ...]
    words: tuple[str, ...]  # that speak for the first


class Desk:
    """A labeling session over the documents of a file."""

    def __init__(self, args: argparse.Namespace, documents: reading.Documents) -> None:
        self.args, self.documents = args, documents
        pipeline = text_classifier(random_state=args.seed, n_threads=args.threads)
        self._counter, model = pipeline[0], pipeline[-1]
        self.X = self._counter.fit_transform(documents.texts)
        self.vocabulary = self._counter.get_feature_names_out()
        self._lengths = np.asarray(self.X.sum(axis=1)).ravel()
        self._is_word = ~self._counter.is_piece()
        self._guessed: tuple[int, Guess | None] | None = (
            None  # the last document, until an answer changes all
        )
        self.learner = self._opened(model)
        self.found: list[int] = []  # documents that a search has found, to be shown before others
        self.said = ""  # what came of the last command
        self._order: list[str] = sorted({label for label in self.learner.labels_ if label is not None})
        self._order += [name for name in args.classes if name not in self._order]

    def _opened(self, model: SoftMislabelingPLSA) -> ActiveLearner:
        """The session of the file, which goes on where it was."""
        ids: Sequence[Any] | None = self.documents.ids
        if len(set(self.documents.ids)) < len(self.documents):
            ids = None  # rows stand for themselves
        if Path(self.args.session).exists():
            try:
                learner = ActiveLearner.resume(self.args.session, model, self.X, ids=ids)
            except ValueError as error:
                why = str(error).partition(": give the")[0]
                raise ValueError(
                    f"{self.args.session} does not fit {self.args.file} any more ({why}): give the file "
                    "as it was, and the same --seed, or begin anew with another --session."
                ) from None
            pairs = zip(self.documents.labels, learner.labels_, strict=True)
            changed = sum(own is not None and own != label for own, label in pairs)
            if changed:
                other = "differ from those of the session, which stay"
                say(self.args, f"{counted(changed, 'label')} of {self.args.file} {other}")
            return learner
        return ActiveLearner(
            model,
            self.X,
            self.documents.labels,
            random_share=self.args.random,
            random_state=self.args.seed,
            path=self.args.session,
            ids=ids,
            classes=self.args.classes or None,
        )

    # --- what is shown ---------------------------------------------------------------------------

    def next(self) -> int | None:
        """The document to label now; None where none is left."""
        labels = self.learner.labels_
        self.found = [place for place in self.found if labels[place] is None]
        if self.found:
            return self.found[0]
        asked = self.learner.query(1)
        return int(asked[0]) if len(asked) else None

    def classes(self) -> list[str]:
        """The classes in an order that stays: each keeps its number."""
        now = {label for label in self.learner.labels_ if label is not None}
        self._order += sorted(now - {*self._order})
        return list(self._order)

    def guess(self, place: int) -> Guess | None:
        """What the model that asks makes of a document; None while it knows fewer than two classes."""
        if self._guessed is None or self._guessed[0] != place:
            self._guessed = place, self._guess(place)
        return self._guessed[1]

    def _guess(self, place: int) -> Guess | None:
        hint = self.learner.hint()
        if hint is None:
            return None
        classes, chances = hint
        own = np.asarray(chances[place])
        best = np.argsort(-own, kind="stable")[:_MOST]
        words = self._telling(place, chances, int(best[0]))
        return Guess(tuple(str(classes[c]) for c in best), tuple(own[best].tolist()), words)

    def _telling(self, place: int, chances: Floats, of_class: int) -> tuple[str, ...]:
        """Words of a document that are more frequent in a class than in all, by what is believed now."""
        row = self.X[[place]]
        columns = np.unique(row.indices)
        columns = columns[self._is_word[columns]]
        if not len(columns):
            return ()
        some = self.X[:, columns].T
        within = np.asarray(some @ chances[:, of_class]) + 0.5
        everywhere = np.asarray(some @ np.ones(len(chances))) + 1.0
        share = (self._lengths @ chances[:, of_class] + 1) / (float(self._lengths.sum()) + 2)
        score = np.log(within / everywhere / share)
        best = [n for n in np.argsort(-score, kind="stable").tolist() if score[n] > _TELLING]
        return tuple(str(self.vocabulary[columns[n]]) for n in best[:_WORDS])

    def progress(self) -> str:
        """How much is done, in one line."""
        labels = sum(label is not None for label in self.learner.labels_)
        parts = [counted(labels, "label"), f"{len(self.documents) - labels:,} without"]
        if self.found:
            parts.append(f"{len(self.found)} found by a search")
        return ", ".join(parts)

    # --- what is done ----------------------------------------------------------------------------

    def act(self, place: int, command: str) -> bool:
        """Does what a person wants; False where they want to stop.

        "": the guess is right. A number, or the beginning of a name: that class. "+name": a class, perhaps a
        new one. ".": cannot be told. "-": take the last answer back. "/word": documents with it. "?": why
        this guess. "!": how far it is. "=file": export. "q": stop.
        """
        self.said = ""
        if command == "q":
            return False
        if command == "":
            guess = self.guess(place)
            if guess is None:
                self.said = "there is no guess yet: give a class, or + and the name of a new one"
            else:
                self._answer(place, guess.classes[0])
        elif command.startswith("+"):
            name = command[1:].strip()
            if name:
                self._answer(place, name)
        elif command == ".":
            self._skip(place)
        elif command == "-":
            self._undo()
        elif command.startswith("/"):
            self._search(command[1:].strip())
        elif command == "?":
            self.said = self._why(place)
        elif command == "!":
            self.said = str(self.learner.status())
        elif command.startswith("="):
            self._export(command[1:].strip())
        else:
            known = self.named(command)
            if known is None:
                near = ", ".join(self.matching(command)[:_MOST])
                self.said = (
                    f"{command!r} may be {near}" if near else f"no class {command!r}: +{command} makes it"
                )
            else:
                self._answer(place, known)
        return True

    def named(self, text: str) -> str | None:
        """The class of a whole name, of a number, or of the beginning of one name alone."""
        classes = self.classes()
        if text in classes:
            return text
        if text.isdecimal() and self.numbered():
            return classes[int(text) - 1] if 0 < int(text) <= len(classes) else None
        found = self.beginning(text)
        return found[0] if len(found) == 1 else None

    def numbered(self) -> bool:
        """Whether classes go by numbers: not where numbers are what they are called."""
        return not any(name.isdecimal() for name in self.classes())

    def beginning(self, text: str) -> list[str]:
        """The classes whose names begin so."""
        return [name for name in self.classes() if name.casefold().startswith(text.casefold())]

    def matching(self, text: str) -> list[str]:
        """The same, or else those that have it inside."""
        within = [name for name in self.classes() if text.casefold() in name.casefold()]
        return self.beginning(text) or within

    def _answer(self, place: int, name: str) -> None:
        try:
            if place in self.learner.pending_:
                self.learner.tell([place], [name])
            else:
                self.learner.volunteer([place], [name])
        except ValueError as error:
            self.said = str(error)
            return
        self._guessed = None
        self.said = f"{self.documents.ids[place]}: {name}"

    def _skip(self, place: int) -> None:
        if place in self.found:
            self.found.remove(place)
        if place in self.learner.pending_:
            self.learner.skip([place])
        self.said = f"{self.documents.ids[place]}: skipped"

    def _undo(self) -> None:
        if not any(event.kind in ("tell", "volunteer", "skip", "amend") for event in self.learner.history_):
            self.said = "nothing to take back"
            return
        event = self.learner.undo()
        self._guessed = None
        self.found = [*event.indices, *self.found]  # it is what is to be looked at again
        self.said = f"taken back: {', '.join(self.documents.ids[place] for place in event.indices)}"

    def _search(self, word: str) -> None:
        labels = self.learner.labels_
        texts = enumerate(self.documents.texts)
        found = [n for n, text in texts if word and word.casefold() in text.casefold() and labels[n] is None]
        self.found = found
        self.said = f"{counted(len(found), 'document')} without a label found with {word!r}"

    def _why(self, place: int) -> str:
        """What the guess goes by."""
        guess = self.guess(place)
        if guess is None:
            return "it is like many others; there is no guess before two classes have a label"
        chances = ", ".join(f"{n} {c:.0%}" for n, c in zip(guess.classes, guess.chances, strict=True))
        words = f"; words for {guess.classes[0]}: {', '.join(guess.words)}" if guess.words else ""
        return f"{chances}{words}"

    # --- what comes of it ------------------------------------------------------------------------

    def _export(self, path: str) -> None:
        """The same while one goes on: what is wrong is said."""
        try:
            check_output(path, self.args.force)
            self.said = self.export(path)
        except (OSError, ValueError) as error:
            self.said = str(error)

    def export(self, path: str) -> str:
        """The rows of the file with their labels, and how these came about."""
        labels, kinds = self.learner.labels_, ["" for _ in self.documents.ids]
        for event in self.learner.history_:
            kind = {"tell": "asked", "volunteer": "chosen", "amend": "changed"}.get(event.kind)
            for place in event.indices if kind else ():
                kinds[place] = kind or ""
        for place, label in enumerate(labels):
            kinds[place] = kinds[place] if label is not None and kinds[place] else "given" if label else ""
        own = list(dict.fromkeys(name for fields in self.documents.fields for name in fields))
        label_column = self.args.label_column
        kept = [name for name in own if name not in (label_column, "label_kind")]
        with written_whole(path) as stream:
            Rows(stream, form_of(path), [*kept, label_column, "label_kind"]).write(
                [*(fields.get(name) for name in kept), labels[place], kinds[place]]
                for place, fields in enumerate(self.documents.fields)
            )
        known = sum(label is not None for label in labels)
        return f"{counted(known, 'label')} written to {path}"
