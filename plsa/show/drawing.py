"""What pictures are made with: axes, colors that all eyes tell apart, names that fit and that a font has."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from plsa.engine.parameters import Floats, Places
from plsa.inputs import warn

# Okabe and Ito's, but for their yellow, which is lost on white. With eight shapes beside seven colors,
# fifty-six kinds differ in one or the other, and neighbors in both.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":", (0, (7, 2)), (0, (5, 1, 1, 1, 1, 1)))
PALE = "#b3d4e8"  # of the first color
MUTED = "#666666"  # what is no figure: notes, and what is left out
_LEFT_OUT = "\u25a1"  # stands for a sign that no font has
_CUT = "\u2026"
_FIGURES = 22  # rows, or columns, of a table up to which its cells have figures
_ROOM = 21  # points that a figure needs, up to three digits
_DARK = 0.6  # of a cell, from where on figures in it are white


def check_matplotlib() -> Any:
    """matplotlib.pyplot, which only plots need."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'plsa-learn[plots]', or matplotlib.") from error
    return pyplot


def check_picture(path: str) -> None:
    """Raises where matplotlib could not save a picture under this name."""
    known = check_matplotlib().Figure().canvas.get_supported_filetypes()
    ending = path.rpartition(".")[2].lower()
    if ending not in known:
        raise ValueError(f"{path} is no name of a picture: it must end in one of {', '.join(sorted(known))}.")


def check_axes(ax: Any, width: float, height: float) -> Any:
    """The axes to draw on: those given, or those of a new figure of so many inches that cuts nothing off."""
    pyplot = check_matplotlib()
    if ax is None:
        return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    if not hasattr(ax, "inset_axes"):
        found = f"ax is of type {type(ax).__name__}"
        raise ValueError(f"{found}, but must be axes of matplotlib, or None for those of a new figure.")
    return ax


def kind(place: int) -> dict[str, Any]:
    """The color and the marker of the place-th of several."""
    return {"color": COLORS[place % len(COLORS)], "marker": MARKERS[place % len(MARKERS)]}


def note(ax: Any, text: str) -> None:
    """What the picture leaves out, or what it comes to, above its left edge."""
    if text:
        ax.set_title(text, loc="left", fontsize="medium", color=MUTED)


def bare(ax: Any, *, grid: str = "") -> None:
    """No frame above and to the right; faint lines behind what is drawn, along an axis."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid:
        ax.grid(axis=grid, linewidth=0.4, alpha=0.5)
        ax.set_axisbelow(True)


# ---- names


def fitting(names: Iterable[Any], longest: int = 24) -> list[str]:
    """Names that take the room of so many letters at most, no two the same, and that can be drawn.

    What is too long is cut in its middle: names often differ at the end. Signs that no font has become boxes,
    of which a warning tells. What matplotlib would read as a formula is not.
    """
    plain = [" ".join(str(name).split()) for name in names]
    short = [_cut(name, longest) for name in plain]
    told: dict[str, str] = {}
    for name, one in zip(plain, short, strict=True):
        told.setdefault(name, one if one not in told.values() else f"{one} ({len(told) + 1})")
    signs = frozenset("".join(told.values()))
    missing = signs - _drawn_by(signs)[1]
    if missing:
        some = " ".join(sorted(missing)[:5])
        found = f"no font that is installed has {some}" + (" and more" if len(missing) > 5 else "")
        warn(f"{found}: boxes stand for them. Install one for this script, such as Noto Sans CJK.")
    boxes = dict.fromkeys(map(ord, missing), _LEFT_OUT)
    return [told[name].translate(boxes).replace("$", r"\$") for name in plain]


def _cut(name: str, longest: int) -> str:
    widths = [2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in name]
    if sum(widths) <= longest:
        return name
    room = longest - 1
    head = int(np.searchsorted(np.cumsum(widths), (room + 1) // 2, side="right"))
    tail = int(np.searchsorted(np.cumsum(widths[::-1]), room // 2, side="right"))
    return name[:head].rstrip() + _CUT + name[len(name) - tail :].lstrip()


def _drawn_by(signs: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Families of fonts to draw signs with, the usual ones first, and the signs that these have."""
    return _families(tuple(check_matplotlib().rcParams["font.family"]), signs)


@lru_cache(maxsize=64)
def _families(usual: tuple[str, ...], signs: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    from matplotlib import font_manager

    def of_file(path: str) -> frozenset[str]:
        try:
            font = font_manager.get_font(path)
        except (OSError, RuntimeError):  # a file that is damaged, or that has gone
            return frozenset()
        return frozenset(sign for sign in signs if font.get_char_index(ord(sign)))

    own = font_manager.findfont(font_manager.FontProperties(family=list(usual)))
    found, families = of_file(own), list(usual)
    if found != signs:
        # A font of last resort has a box for everything, and those of colored pictures cannot be drawn. Of a
        # family the upright file of usual weight is the last, and stays.
        useless = ("Last Resort", "Emoji")
        fonts = sorted(
            font_manager.fontManager.ttflist,
            key=lambda entry: (entry.style == "normal") + (entry.weight in (400, "normal")),
        )
        others = {e.name: e.fname for e in fonts if not any(word in e.name for word in useless)}
        has = {name: of_file(path) for name, path in sorted(others.items())}
        while has and any(each - found for each in has.values()):
            best = max(has, key=lambda name: len(has[name] - found))
            found |= has.pop(best)
            families.append(best)
    return tuple(families), found


def finished(ax: Any) -> Any:
    """The axes, all that is written on them in fonts that have its signs."""
    from matplotlib.text import Text

    texts = [text for text in ax.findobj(Text) if text.get_text()]
    signs = frozenset("".join(text.get_text() for text in texts)) - {"\n"}
    families, _ = _drawn_by(signs)
    usual, _ = _drawn_by(frozenset())
    if families != usual:
        for text in texts:
            text.set_fontfamily(list(families))
    return ax


# ---- what several pictures draw


def legend(ax: Any, keys: Sequence[tuple[dict[str, Any], float, str, str]], **where: Any) -> None:
    """A legend of points: what `kind` says, how opaque, the color of the edge, and the name."""
    from matplotlib.lines import Line2D

    drawn = [
        Line2D([], [], linestyle="none", alpha=alpha, markeredgecolor=edge, markersize=6.5, **style)
        for style, alpha, edge, _ in keys
    ]
    # matplotlib would leave out a name that begins with an underscore.
    names = [f" {name}" if name.startswith("_") else name for *_, name in keys]
    ax.legend(drawn, names, **where)


def largest(sizes: Any, limit: Any) -> Places:
    """The places of the `limit` largest, in their own order; of equals the first."""
    return np.sort(np.argsort(-np.asarray(sizes), kind="stable")[:limit])


def tall(foot: float, n_rows: int) -> float:
    """Inches for a table of so many rows above its foot: what fits a screen, or what rows need to be read."""
    return max(min(foot + 0.24 * n_rows, 7.5), foot + 0.145 * n_rows)


def shares(
    ax: Any, table: Floats, rows: Sequence[str], columns: Sequence[str], what: str, said: Sequence[str] = ()
) -> None:
    """A table of shares as a heat map: with figures where cells have room for them, else with a scale.

    What it shows, and what else is to be said, stands above.
    """
    image = ax.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    n_rows, n_columns = table.shape
    size = "medium" if max(table.shape) <= 12 else "small" if max(table.shape) <= _FIGURES else "x-small"
    ax.set_yticks(range(n_rows), rows, fontsize=size)
    flat = max(map(len, columns), default=0) * n_columns <= 60
    ax.set_xticks(range(n_columns), columns, fontsize=size, rotation=0 if flat else 90)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    room = 72 * ax.bbox.width / ax.figure.dpi / max(n_columns, 1)
    if max(table.shape) <= _FIGURES and room >= _ROOM:
        what += " in percent"
        for (row, column), share in np.ndenumerate(table):
            if share >= 0.005:
                color = "white" if share > _DARK else "black"
                figure = f"{100 * share:.0f}"
                ax.text(column, row, figure, ha="center", va="center", color=color, fontsize=size)
    else:
        bar = ax.figure.colorbar(image, ax=ax, ticks=[0, 0.5, 1], pad=0.02, fraction=0.04)
        bar.ax.set_yticklabels(["0%", "50%", "100%"])
        bar.outline.set_visible(False)
    note(ax, "\n".join([what, *said]))
