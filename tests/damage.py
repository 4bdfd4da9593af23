"""Model files that are damaged, cut off or made by an enemy, and what `plsa.load` makes of them.

    python tests/damage.py                  each byte of five files, and 100,000 damages more, drawn at random
    python tests/damage.py --number 1000 --seed 7

It prints how many files of each kind of damage were refused, or taken with the same answers, or with others;
how many raised anything but ValueError; and how much memory loading took at most, beside the size of the
file. Whoever changes a file and its checksums may make another model of it that is whole, which is then what
the file holds; it may not make a program of it that crashes, reads beyond an array or takes all memory.
"""

import argparse
import copy
import faulthandler
import hashlib
import json
import random
import re
import signal
import tempfile
import time
import tracemalloc
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
from cases import CASES, new_documents
from helpers import answers, bits
from old_files import LABELS, NEW, TEXTS
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

import plsa
from plsa.files import classes

ZEROS = "0" * 64
# What may stand anywhere in a header; of each something that is of the right type and wrong.
JUNK = [None, True, False, 0, 1, -1, 2, 3, 255, 2**31, 2**31 - 1, 2**53, 2**63, 2**64, -(2**63), 10**30, 0.0]
JUNK += [
    -0.5,
    1e-320,
    1e308,
    "",
    "x",
    "a" * 400,
    "\x00",
    "\ud800",
    "numpy.float64",
    "int",
    [],
    {},
    [[]],
    [-1],
]
JUNK += [[0], [2**62, 4], [0, 2**40], {"array": "x"}, {"class": "PLSA", "has": {}}, {"float": "nan"}]
JUNK += [
    {"float": "inf"},
    {"type": "float"},
    {"tuple": []},
    {"dict": [[], []]},
    {"scalar": "int64", "value": -9},
]


class Broken:
    """A model as a file, and all that can be done to it."""

    def __init__(self, name, model, X):
        self.name, self.X = name, X
        with tempfile.TemporaryDirectory() as folder:
            plsa.save(model, Path(folder) / "model")
            self.whole = (Path(folder) / "model").read_bytes()
        self.size = int.from_bytes(self.whole[:8], "little")
        self.header = json.loads(self.whole[8 : 8 + self.size])
        self.tree = json.loads(self.header["__metadata__"]["plsa_model"])
        self.data = self.whole[8 + self.size :]
        self.said = self.answers(model)

    def answers(self, model):
        """What a model says of documents, as something that can be compared."""
        return bits(answers(model, self.X))

    def sealed(self, header=None, tree=None, data=None, text=None):
        """A file of these parts, with checksums that are right."""
        header, data = copy.deepcopy(self.header if header is None else header), data or self.data
        about = header.get("__metadata__")
        if isinstance(about, dict):
            if tree is not None:
                about["plsa_model"] = json.dumps(tree)
            about |= {"sha256_of_arrays": hashlib.sha256(data).hexdigest(), "sha256_of_header": ZEROS}
        text = (text or json.dumps(header)).encode()
        text += b" " * (-(8 + len(text)) % 64)
        length = len(text).to_bytes(8, "little")
        return (
            length
            + text.replace(ZEROS.encode(), hashlib.sha256(length + text).hexdigest().encode(), 1)
            + data
        )


SMALL = "texts", "topics", "mixture", "views", "graph"


@cache
def broken():
    """Small models of several kinds."""
    counts = CountVectorizer().fit_transform(TEXTS).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = (
            plsa.text_classifier(random_state=0).fit(TEXTS, LABELS),
            plsa.PLSA(2, random_state=0, n_threads=1).fit(counts),
            plsa.NaiveBayesEM(classes=["food", "sport", "zoo"]).fit(counts, LABELS),
            plsa.CoTraining(random_state=0).fit(counts, LABELS),
            plsa.GraphClassifier().fit(counts, LABELS),
        )
        given = [*TEXTS, *NEW], *[counts] * 4
        return {name: Broken(name, *each) for name, *each in zip(SMALL, models, given, strict=True)}


@cache
def larger():
    """Some of the models that the contract is tested over."""
    names = "SoftMislabelingPLSA", "TopicSensitivePLSA, with a committee", "CPA", "MPCKMeans", "SelfTraining"
    names += "TransductiveSVM", "SpyEM", "FakeLabelPLSA", "CoBoost", "CoEM", "CountScaler"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            str(case): Broken(str(case), case.fit(), new_documents()) for case in CASES if str(case) in names
        }


@cache
def large():
    """A model whose arrays are most of its file."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.05, (50, 10_000)).astype(np.float32))
    return Broken("large", plsa.PLSA(20, max_iter=1, tol=0).fit(X), X[:3])


# --- what is done to a file ----------------------------------------------------------------------


def flipped(file, rng):
    """One byte is another."""
    at = rng.randrange(len(file.whole))
    return changed(file.whole, at, rng.randrange(1, 256))


def changed(whole, at, mask=255):
    """A byte with these bits turned round."""
    return whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :]


def torn(file, rng):
    """Cut off, or longer than it was, or some of it is missing or stands twice."""
    a, b = sorted(rng.randrange(len(file.whole)) for _ in range(2))
    ways = file.whole[:a], file.whole + rng.randbytes(1 + b - a), file.whole[:a] + file.whole[b + 1 :]
    return rng.choice(
        [*ways, file.whole[:b] + file.whole[a:], file.whole[:a] + bytes(b - a) + file.whole[b:]]
    )


def other_length(file, rng):
    """The header is said to be longer or shorter."""
    length = rng.choice([0, 1, file.size - 1, file.size + 64, 2**20, 2**20 + 1, 2**31, 2**63, 2**64 - 1])
    return length.to_bytes(8, "little") + file.whole[8:]


def other_text(file, rng):
    """The header's text is changed somewhere, perhaps so that it is no JSON, and sealed."""
    text = json.dumps(file.header).replace(file.header["__metadata__"]["sha256_of_header"], ZEROS)
    at = rng.randrange(len(text))
    part = rng.choice(
        ["", "[" * 100_000, '"', "{", "}", "NaN", "1e999", "-", "9" * 5000, "\\u0000", ",", '"a":1,']
    )
    return file.sealed(text=text[:at] + part + text[at + rng.randrange(3) :])


def places(value, path=()):
    """Where there is anything in a tree."""
    yield path
    for key, each in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from places(each, (*path, key))


def edited(value, rng, junk):
    """A tree in which something is other than it was, or gone, or elsewhere."""
    value = copy.deepcopy(value)
    paths = [path for path in places(value) if path]
    path = rng.choice(paths)
    parent = value
    for key in path[:-1]:
        parent = parent[key]
    what = rng.randrange(8)
    if what == 0:
        del parent[path[-1]]
    elif what == 1 and isinstance(parent, dict):
        parent[rng.choice(["x", "components_", "predict", "__class__", "array", "class", "a" * 500])] = (
            parent.pop(path[-1])
        )
    elif what == 2:
        other = value
        for key in rng.choice(paths):
            other = other[key]
        parent[path[-1]] = copy.deepcopy(other)
    elif what == 3 and isinstance(parent[path[-1]], int):
        parent[path[-1]] += rng.choice([-1, 1, 64, -(2**40), 2**40])
    else:
        parent[path[-1]] = copy.deepcopy(rng.choice(junk))
    return value


def other_entries(file, rng):
    """What the header says of arrays is edited, and sealed."""
    header = {name: each for name, each in file.header.items() if name != "__metadata__"}
    for _ in range(rng.randrange(1, 3)):
        header = edited(header, rng, [*JUNK, "F64", "F32", "U8", "I64", "BOOL", "U32", "BF16"])
    return file.sealed({"__metadata__": file.header["__metadata__"], **header})


def other_tree(file, rng):
    """What the model is made of is edited, and sealed."""
    tree = file.tree
    for _ in range(rng.randrange(1, 3)):
        tree = edited(tree, rng, [*JUNK, *({"array": name} for name in file.header)])
    return file.sealed(tree=tree)


def other_numbers(file, rng):
    """The arrays hold other numbers, and are sealed."""
    at, data = rng.randrange(len(file.data)), bytearray(file.data)
    part = rng.choice(
        [rng.randbytes(8), b"\xff" * 8, b"\x00" * 8, b"\x7f\xf0" * 4, b"\x00\x00\xc0\x7f", b"\xff"]
    )
    data[at : at + len(part)] = part
    return file.sealed(data=bytes(data[: len(file.data)]))


PLAIN = flipped, torn, other_length
SEALED = other_text, other_entries, other_tree, other_numbers


# --- what comes of it ----------------------------------------------------------------------------


def outcome(file, content, path, measured=False):
    """What `load` makes of a file: "refused", "same", "others", or what it raised; and its memory."""
    path.write_bytes(content)
    peak = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if measured:
            tracemalloc.start()
        try:
            model = plsa.load(path)
        except ValueError as error:
            # Something is said of it, and what is to be done.
            return ("refused" if re.search(r"\w", str(error)) else "no reason"), peak_of(measured)
        except Exception as error:
            return f"load: {type(error).__name__}: {error}", peak_of(measured)
        peak = peak_of(measured)
        try:
            return ("same" if file.answers(model) == file.said else "others"), peak
        except ValueError:
            return "others", peak  # what a parameter says is that no document can be taken, for one
        except Exception as error:
            return f"answers: {type(error).__name__}: {error}", peak


def peak_of(measured):
    """The memory that was taken at most."""
    if not measured:
        return 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


class SlowError(Exception):
    """A model that was loaded takes forever."""


def _slow(*_):
    raise SlowError


def main():
    """Counts what comes of very many damaged files."""
    faulthandler.enable()
    signal.signal(signal.SIGALRM, _slow)
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--number", type=int, default=100_000, help="files drawn at random")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    rng, begin = random.Random(given.seed), time.monotonic()
    found, worst, seen = {}, {}, {}
    for name in classes.names():
        classes.class_of(name)  # what is imported for the first time is no part of a file's memory
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"

        def take(kind, file, content):
            if content == file.whole:
                return
            signal.alarm(20)
            counts = found.setdefault(kind, Counter())
            measured = sum(counts.values()) % 4 == 0
            result, peak = outcome(file, content, path, measured)
            signal.alarm(0)
            if measured:
                more = peak - 2 * len(content)
                worst[kind] = max(worst.get(kind, (more, 0, 0)), (more, peak, len(content)))
            if result not in ("refused", "same", "others"):
                seen.setdefault(f"{kind} of {file.name}, {result[:200]}", content)
                result = "raised"
            counts[result] += 1

        for file in broken().values():
            for at in range(len(file.whole)):
                take("each byte", file, changed(file.whole, at))
        files = [*broken().values(), *larger().values()]
        for _ in range(given.number):
            damage = rng.choice([*PLAIN, *SEALED])
            take(damage.__name__, file := rng.choice(files), damage(file, rng))
    sizes = {name: len(file.whole) for name, file in (broken() | larger()).items()}
    print("files:", ", ".join(f"{name} ({size:,} bytes)" for name, size in sizes.items()))
    titles = "files", "refused", "same", "others", "raised"
    print(f"{'damage':15}" + "".join(f"{title:>9}" for title in titles) + "   most memory, of a file of")
    for kind, counts in found.items():
        numbers = [sum(counts.values()), *(counts[name] for name in ("refused", "same", "others", "raised"))]
        _, peak, size = worst[kind]
        print(f"{kind:15}" + "".join(f"{n:9,}" for n in numbers) + f"   {peak:,} bytes, {size:,}")
    for number, (what, content) in enumerate(seen.items()):
        Path(tempfile.gettempdir(), f"damage-{number}.plsa").write_bytes(content)
        print(f"damage-{number}.plsa:", what)
    print(f"{time.monotonic() - begin:.0f} seconds")


if __name__ == "__main__":
    main()
