"""A user's own documents, from files and folders."""

import contextlib
import json
import os
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from plsa.datasets.records import Records, check_codec, listed, opened_records, shown
from plsa.inputs import counted, warn
from plsa.labels.reading import doubtful, is_missing

# Where no field is called "label", one that is called so may hold the labels.
_LIKE_LABEL = frozenset({"label", "labels", "class", "category", "target"})


_Document = tuple[
    str, Any, Any
]  # place (a line number or a file's path), text and label, as they stand there


def read_corpus(
    path: str | os.PathLike[str],
    *,
    text: str = "text",
    label: str | None = "label",
    unlabeled: str | None = None,
    encoding: str = "utf-8",
) -> Bunch:
    """Every document at `path` is read, with its label where it has one, or nothing is.

    Parameters
    ----------
    path : str or path-like
        What is read follows from the name; each kind of file may be compressed (".gz"):

        * ".jsonl", ".ndjson": one JSON object per line. Blank lines are passed over.
        * ".parquet": one document per row; needs pyarrow.
        * ".csv", ".tsv": a header, then one document per row. Where commas (tabs) do not part a column
          `text` from the header, but one of , ; | and tabs does, that is the separator.
        * ".txt": one document per line, a blank line too, so that document i is line i + 1.
        * a folder: each ".txt" file in it is a document. The sub-folder it lies in, at the first
          level, is its label; files directly in the folder have none. Names that begin with a
          dot are passed over; other files are, too, with a warning.
    text : str
        The field or column that holds the text.
    label : str or None
        The field or column that holds the label. A corpus without a field "label" is one without
        labels, with a warning where there is one such as "Label" or "class"; any other name must occur.
        None: labels are not read.
    unlabeled : str, optional
        A label that also means "no label", for example "-1" or "unknown". Where none is given, a label
        such as "NA" or "nan" beside others is warned of.
    encoding : str
        Encoding of the files. A byte order mark is dropped.

    Returns
    -------
    Bunch
        ``data`` : list of str, the texts as they stand.
        ``target`` : object array, each document's label as a str, or None where it is absent, null
        or blank. Numbers become what JSON writes for them, so that 3 is "3" from every format; so is
        3.0 from JSON.
        ``target_names`` : array of str, the labels that occur, sorted.
        ``names`` : list of str, where each document stands: "line 7", or its file in the folder.

    Raises
    ------
    FileNotFoundError
        When there is nothing at `path`.
    TypeError
        When `path` is no path.
    ValueError
        When a line or file cannot be read as above; the message says which and why.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from plsa.datasets import read_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "reviews.csv")
    ...     _ = path.write_text("text,label\\ngood value,praise\\nit broke,\\n")
    ...     corpus = read_corpus(path)
    >>> corpus.data
    ['good value', 'it broke']
    >>> corpus.target.tolist()
    ['praise', None]
    """
    if not isinstance(path, str | os.PathLike):
        what = "but must be the name of a file or folder; documents in memory need no reading"
        raise TypeError(f"path is of type {type(path).__name__}, {what}.")
    path = Path(path)
    documents = _read(path, check_codec(encoding), text, label)

    data: list[str] = []
    labels: list[str | None] = []
    names: list[str] = []
    with contextlib.closing(documents):  # an error below closes the file, too
        for place, content, found in documents:
            if not isinstance(content, str):
                raise ValueError(f"{path}, {place}: {text!r} must be a string; found {shown(content)}.")
            data.append(content)
            labels.append(plain_label(found, unlabeled, f"{path}, {place}: {label!r}"))
            names.append(place)
    if not data:
        empty = ": there is nothing in it" if path.is_file() and not path.stat().st_size else ""
        raise ValueError(f"{path} holds no document{empty}.")
    target_names = np.array(sorted({name for name in labels if name is not None}), dtype=str)
    for name in target_names[doubtful(target_names)].tolist() if unlabeled is None else ():
        first = names[labels.index(name)]
        has = "has" if labels.count(name) == 1 else "have"
        found = f"{path}: {counted(labels.count(name), 'document')} {has} the label {name!r}, first {first}"
        if_mark = f"if it marks documents without a label, pass unlabeled={name!r}"
        warn(f"{found}. It is kept as a class; {if_mark}.")
    return Bunch(data=data, target=np.array(labels, dtype=object), target_names=target_names, names=names)


def plain_label(value: Any, unlabeled: str | None, where: str) -> str | None:
    """A label as a string, None where there is none."""
    if is_missing(value):
        return None
    if not isinstance(value, str | bool | int | float):
        found = f"{shown(value)}. One label per document."
        raise ValueError(f"{where} must be a string, a number or null; found {found}")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a program that knows no whole numbers wrote it
    label = (value if isinstance(value, str) else json.dumps(value)).strip()
    return label if label != unlabeled else None


def _read(path: Path, codec: str, text: str, label: str | None) -> Generator[_Document]:
    """The documents of a file or folder, and what may be the label where none is called so."""
    with opened_records(path, codec, text=text) as records:
        if records.form in ("txt", "folder"):  # their fields have no names of their own
            text, label = "text", "label" if label is not None else None
        elif records.columns is not None:
            _check_columns(records, text, label)
            _warn_of_labels(path, records.columns if label not in records.columns else [], text, label)
        labeled = False
        others: set[str] = set()  # fields of objects without a label
        place = ""
        for place, fields in records.rows:
            if text not in fields:
                found = f"found {listed(fields)}. Say which one holds the text with text=..."
                raise ValueError(f"{path}, {place}: no field {text!r}; {found}")
            if records.form == "jsonl":
                labeled |= label in fields
                others |= fields.keys() if label not in fields else set()
            yield place, fields[text], None if label is None else fields.get(label)
        if records.form == "jsonl":
            if label not in (None, "label") and place and not labeled:
                raise ValueError(f"{path}: no line has a field {label!r}; say which one with label=...")
            _warn_of_labels(path, sorted(others), text, label)


def _check_columns(records: Records, text: str, label: str | None) -> None:
    """Raises where a table has not the columns that are asked for, once."""
    assert records.columns is not None
    for column, needed in ((text, True), (label, label not in (None, "label"))):
        times = records.columns.count(column) if column is not None else 0
        if times > 1 or (needed and not times):
            what = f"{times} columns are" if times else "no column is"
            parameter = "text" if column == text else "label"
            by = "" if records.separator is None else f" (separated by {records.separator!r})"
            found = f"found {listed(records.columns)}{by}. Say which one to read with {parameter}=..."
            raise ValueError(f"{records.name}, line 1: {what} called {column!r}; {found}")


def _warn_of_labels(path: Path, names: Iterable[str], text: str, label: str | None) -> None:
    """Warns of fields that may hold labels, where none was asked for by its name."""
    like = [name for name in names if name.strip().lower() in _LIKE_LABEL and name != text]
    if label == "label" and like:
        found = f"documents without a field 'label', which have no label now, have {listed(like)}"
        warn(f"{path}: {found}. If that is the label, pass label={like[0]!r}; if not, label=None.")
