"""How every figure looks: fonts, colours, sizes, and the panels they are laid out in."""

import contextlib
import math
import re
import statistics
import textwrap
import warnings

import matplotlib

matplotlib.use("Agg")

from matplotlib import font_manager  # noqa: E402  (the backend is chosen first)
from matplotlib.artist import Artist  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.axis import Axis  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.legend import Legend  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402
from matplotlib.ticker import FuncFormatter, Locator, MaxNLocator, NullFormatter, NullLocator  # noqa: E402
from matplotlib.transforms import Bbox, blended_transform_factory  # noqa: E402
from names import glued  # noqa: E402

# Okabe and Ito, "Color universal design" (2008): told apart by the colour-blind.
BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, YELLOW, BLACK = (
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442", "#000000",
)
GREY = "#767676"
# Between stretches of time that are drawn next to each other, though others lie between them.
BREAK = {"color": "black", "linewidth": 0.8, "linestyle": (0, (2, 2))}
# Wide and pale, so that it is seen on both sides of lines that lie on it; a line of one point is a mark as wide.
IDEAL = {"color": "0.8", "linewidth": 4, "zorder": 0}
IDEAL_POINT = {"marker": "_", "markersize": 24, "markeredgewidth": 4}
# Of what is not known: unlike anything that members do, in grey too.
UNKNOWN = {"facecolor": "0.96", "edgecolor": "0.6", "hatch": "//////", "linewidth": 0}

# In inches: a column of a two-column page, and its full width.
WIDTHS = {"single": 3.5, "double": 7.16}
PAGE = 9.5  # as high as a page's text, in inches
SMALL = 7  # points: the smallest text
LETTER = 4.6  # points: how wide a letter of it is, at most in the mean
_LEGEND_LINE, _TITLE_LINE = 0.16, 0.14  # inches
_LEGEND_WIDTH = 0.98  # of the figure's, at most
_SEEN = 0.002  # of a panel's height: a bar that is lower is but a line
_MANY_LINES = 4  # of a legend
_LEGEND_HANDLE = 30  # points: a line of its entry, and the space around it
_NOTE = "note below the panels"
_STRIP, _CELL = "legend above the panels", "legend in a free cell"

_SETTINGS = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "hatch.linewidth": 0.6,
    "text.parse_math": False,  # names of a user's own may hold dollar signs
    "pdf.fonttype": 42,  # TrueType, embedded: text stays text
    "svg.hashsalt": "tandem",  # the same figure has the same names inside
    "savefig.dpi": 300,
}
# Of letters that matplotlib's own font lacks, as names of users may have them.
_MORE_LETTERS = ["Noto Sans CJK JP", "Noto Sans CJK SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "IPAGothic", "Noto Sans", "FreeSans"]
matplotlib.rcParams.update(_SETTINGS)


def _installed_fonts() -> set[str]:
    """With those that were installed after matplotlib had made its list of them."""
    listed = {font.fname for font in font_manager.fontManager.ttflist}
    for file in set(font_manager.findSystemFonts()) - listed:
        with contextlib.suppress(OSError, RuntimeError):  # what FreeType can't read
            font_manager.fontManager.addfont(file)
    return {font.name for font in font_manager.fontManager.ttflist}


_installed = _installed_fonts()
matplotlib.rcParams["font.family"] = ["DejaVu Sans", *(name for name in _MORE_LETTERS if name in _installed)]

@contextlib.contextmanager
def missing_letters():
    """Gives a set of the letters that what is drawn meanwhile has and no font does: they are boxes in the figure."""
    missing: set[str] = set()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield missing
    for warning in said:
        if letter := re.match(r"Glyph (\d+) .*missing", str(warning.message)):
            missing.add(chr(int(letter[1])))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


# Markers and dashes differ as colours do, so that a print in grey can be read.
_COLOURS = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK]
_MARKERS = ["o", "s", "^", "D", "v", "X", "P"]
_DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)), "-"]
_DOTTED = ["....////", "....\\\\\\\\", "....||||", "....----", "....xxxx", "....++++"]
_RINGED = ["ooo////", "ooo\\\\\\\\", "ooo||||", "ooo----", "oooxxxx", "ooo++++"]
_HATCHES = ["", "////", "....", "xxxx", "\\\\\\\\", "||||", "----", "++++", "ooo", *_DOTTED, *_RINGED]
LOOKS = len(_COLOURS) * len(_MARKERS)  # of lines
# The same algorithm looks the same in every figure.
_FIRST = {"ring": 0, "parameter_server": 1, "none": 2}


def styles(labels_and_algorithms: list[tuple[str, str]]) -> dict[str, int]:
    """A style number for every label: an algorithm's own where it is free, else the next free one."""
    taken: dict[str, int] = {}
    for label, algorithm in labels_and_algorithms:
        if label not in taken:
            own = _FIRST.get(algorithm)
            free = (i for i in range(len(taken) + len(_FIRST) + 1)
                    if i not in taken.values() and i not in _FIRST.values())
            taken[label] = own if own is not None and own not in taken.values() else next(free)
    return taken


def line(style: int) -> dict:
    """Colour, marker and dashes: the first 26 differ in a print in grey too, the first LOOKS in colour."""
    turn = style // len(_COLOURS)  # each time round the colours come with other markers and dashes
    return {"color": _COLOURS[style % len(_COLOURS)],
            "marker": _MARKERS[(style + 3 * turn) % len(_MARKERS)],
            "linestyle": _DASHES[(style + 5 * turn) % len(_DASHES)],
            "clip_on": False}  # a marker on the edge of its panel, such as one of 0, is drawn whole


def line_through(points: int, style: int) -> dict:
    """One of so many points: one alone is a marker, in the legend too."""
    return line(style) | ({"linestyle": "none"} if points == 1 else {})


def hatch(style: int) -> str:
    return _HATCHES[style % len(_HATCHES)]


def wrapped(text: str, letters: int, **more) -> str:
    """In lines of so many letters, as textwrap.fill() makes them, of which none ends between a number and its unit or what it counts."""
    return textwrap.fill(glued(text), letters, **more)


def panels(names: list[str], width: str, columns: int | None = None,
           height: float = 1.9) -> tuple[Figure, list[Axes]]:
    """A figure with one titled panel a name, filled row by row; each row is `height` inches high, and more where a title is of several lines.

    A cell of the grid that no panel takes is for the legend; where there is none, a strip on top is.
    """
    across = min(len(names), columns or {"single": 1, "double": 3}[width])
    letters = int(0.9 * WIDTHS[width] * 72 / across / LETTER)
    down = math.ceil(len(names) / across)
    titles = [wrapped(name, letters, max_lines=3, placeholder=" ...") for name in names]
    strip = [] if len(names) % across else [_LEGEND_LINE]
    heights = strip + [height + _TITLE_LINE * max(title.count("\n") for title in titles)] * down
    figure = Figure(figsize=(WIDTHS[width], sum(heights)), layout="constrained")
    grid = figure.add_gridspec(len(heights), across, height_ratios=heights)
    cells = [grid[row, column] for row in range(len(strip), len(heights)) for column in range(across)]
    axes = [figure.add_subplot(cell, title=title) for cell, title in zip(cells, titles)]
    for one, name in zip(axes, names):
        one.panel_name = name  # whole, as its title is not where that is broken
    place = figure.add_subplot(grid[0, :] if strip else cells[len(names)])
    place.set(label=_STRIP if strip else _CELL)
    place.set_axis_off()
    return figure, axes


def spreads(axes: Axes, series: str, x: list[float], middle: list[float], low: list[float], high: list[float], color: str,
            label: str = "") -> None:
    """Error bars of a series, from the low ends to the high ends around the middles; nothing where there are none."""
    if x:
        made = axes.errorbar(x, middle, yerr=[[m - l for m, l in zip(middle, low)], [h - m for m, h in zip(middle, high)]],
                             fmt="none", ecolor=color, elinewidth=0.8, capsize=2, label=label or None)
        for bars in made.lines[2]:
            bars.set_gid(series)


_SUPERSCRIPTS = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def name_powers(axis: Axis) -> None:
    """Of a logarithmic axis of powers of ten, and 0; matplotlib would name them in mathematical notation, which is off."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS) if value else "0"))
    axis.set_minor_formatter(NullFormatter())


_LINEAR_UP_TO = 8  # times the least


def grows_by_factors(numbers: set[int]) -> bool:
    """Whether numbers above 0 go far and rather by factors (1, 2, 4, ...) than by steps (1, 2, 3, ...)."""
    ascending = sorted(numbers)
    if len(ascending) < 3 or ascending[-1] <= _LINEAR_UP_TO * ascending[0]:
        return False
    neighbours = list(zip(ascending, ascending[1:]))
    return _unevenness([math.log(b / a) for a, b in neighbours]) < _unevenness([b - a for a, b in neighbours])


def _unevenness(distances: list[float]) -> float:
    return statistics.pstdev(distances) / statistics.fmean(distances)


def workers_axis(axes: Axes, by_factors: bool = False) -> None:
    """Once lines are drawn: an axis of whole numbers; of one number alone, with a tick there."""
    axes.set_xlabel("workers")
    if is_of_one(axes):
        axes.set_xticks([axes.dataLim.x0], [f"{axes.dataLim.x0:.15g}"])
    elif by_factors:
        doublings(axes.xaxis, PowersOfTwo(whole=True))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))


def is_of_one(axes: Axes) -> bool:
    """Whether all that is drawn there is at one number of workers."""
    return axes.dataLim.x0 == axes.dataLim.x1


class PowersOfTwo(Locator):
    """As many as there is room for, 1 among them where it is in view; where fewer than two powers are, other numbers, if need be `whole` ones."""

    def __init__(self, whole: bool = False):
        self._whole = whole

    def __call__(self) -> list[float]:
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, low: float, high: float) -> list[float]:
        first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
        room = max(2, self.axis.get_tick_space())
        if last <= first:
            return list(MaxNLocator(min(room, 5), integer=self._whole, min_n_ticks=1 if self._whole else 2).tick_values(low, high))
        step = math.ceil((last - first + 1) / room)
        return [2.0 ** power for power in range(math.ceil(first / step) * step, last + 1, step)]


def doublings(axis: Axis, ticks: PowersOfTwo | None = None) -> None:
    """Makes it logarithmic, with plain numbers at powers of two."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(ticks or PowersOfTwo())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.15g}"))
    axis.set_minor_locator(NullLocator())


def drop_repeated_labels(axes: list[Axes]) -> None:
    """Hides an axis' label where the panel to the left, or below, has the same."""
    across = axes[0].get_gridspec().ncols
    for i, one in enumerate(axes):
        if i % across and one.get_ylabel() == axes[i - 1].get_ylabel():
            one.yaxis.label.set_visible(False)
        if i + across < len(axes) and one.get_xlabel() == axes[i + across].get_xlabel():
            one.xaxis.label.set_visible(False)


def finish(figure: Figure, axes: list[Axes], entries: dict[str, Artist] | None = None) -> None:
    """Once everything is in the panels: the legend of what they label, or of `entries`; no axis is named twice."""
    drop_repeated_labels(axes)
    legend(figure, labelled(axes) if entries is None else entries)


def legend(figure: Figure, entries: dict[str, Artist]) -> None:
    """One legend for the whole figure, where panels() left room for it."""
    place = next(axes for axes in figure.axes if axes.get_label() in (_STRIP, _CELL))
    if place.get_label() == _CELL:
        place.legend(list(entries.values()), list(entries), loc="center")
        return
    lines = _fit_lines(place, entries)
    grid = place.get_gridspec()
    heights = grid.get_height_ratios()
    heights[0] = _LEGEND_LINE * max(1, lines)  # of no entries, too: matplotlib lays out no row without height
    grid.set_height_ratios(heights)
    figure.set_figheight(sum(heights))


class _Legend(Legend):
    """One that has a say in how high its row is, but none in how wide the panels are."""

    def get_tightbbox(self, renderer=None) -> Bbox:
        box = super().get_tightbbox(renderer)
        middle = (box.x0 + box.x1) / 2
        return Bbox.from_extents(middle - 0.5, box.y0, middle + 0.5, box.y1)


def _fit_lines(place: Axes, entries: dict[str, Artist]) -> int:
    """Puts the legend into `place` in as few lines as the figure's width allows; where it holds none, with broken labels.

    Where those are many, labels of about one length share a column, whatever the entries' order. Returns how many lines it takes.
    """
    lines = _fewest_lines(place, entries)
    by_length = dict(sorted(entries.items(), key=lambda entry: -len(entry[0])))
    if lines > _MANY_LINES and (fewer := _fewest_lines(place, by_length)) < lines:
        entries, lines = by_length, fewer
    if lines <= len(entries):
        _put_legend(place, entries, lines)
        return lines
    letters = int((72 * place.figure.get_figwidth() - _LEGEND_HANDLE) / LETTER)
    broken = {wrapped(label, letters): handle for label, handle in entries.items()}
    _put_legend(place, broken, max(1, len(broken)))
    return sum(label.count("\n") + 1 for label in broken)


def _fewest_lines(place: Axes, entries: dict[str, Artist]) -> int:
    """One more than there are entries where none is narrow enough."""
    for lines in range(1, len(entries) + 1):
        _put_legend(place, entries, lines)
        if place.legend_.get_window_extent().width < _LEGEND_WIDTH * place.figure.bbox.width:
            return math.ceil(len(entries) / math.ceil(len(entries) / lines))
    return len(entries) + 1


def _put_legend(place: Axes, entries: dict[str, Artist], lines: int) -> None:
    """In the middle of the figure, in columns that are as long as each other, as far as that is possible."""
    in_the_middle = blended_transform_factory(place.figure.transFigure, place.transAxes)
    place.legend_ = _Legend(place, list(entries.values()), list(entries), ncol=max(1, math.ceil(len(entries) / lines)), loc="center",
                            bbox_to_anchor=(0.5, 0.5), bbox_transform=in_the_middle, borderaxespad=0, columnspacing=1.5)


def title(figure: Figure, text: str) -> None:
    """Of the whole figure, above it."""
    text = wrapped(text, int(0.95 * figure.get_figwidth() * 72 / LETTER))
    figure.suptitle(text, fontsize=_SETTINGS["axes.titlesize"])
    figure.set_figheight(figure.get_figheight() + _TITLE_LINE * (text.count("\n") + 2))


def note(figure: Figure, lines: list[str]) -> None:
    """What to know of the whole figure, below it and what was noted before."""
    for line in lines:
        text = wrapped(line, int(figure.get_figwidth() * 72 / LETTER))
        before = [f"{one.get_text()}\n" for one in figure.texts if one.get_gid() == _NOTE]
        figure.supxlabel("".join(before) + text, x=0.01, ha="left", fontsize=SMALL, fontstyle="italic").set_gid(_NOTE)
        figure.set_figheight(figure.get_figheight() + _LEGEND_LINE * (text.count("\n") + 1))


def caution(figure: Figure, line: str) -> None:
    """A note that is a warning of the command too."""
    note(figure, [line])
    figure.cautions = [*cautions(figure), line]


def cautions(figure: Figure) -> list[str]:
    return getattr(figure, "cautions", [])


def is_seen(bar: Rectangle) -> bool:
    """Whether it is more than the line around it, once its panel has its limits."""
    low, high = bar.axes.get_ylim()
    return bar.get_height() > _SEEN * (high - low)


def labelled(axes: list[Axes]) -> dict[str, Artist]:
    """All that the panels label, each label once."""
    entries: dict[str, Artist] = {}
    for one in axes:
        for handle, label in zip(*one.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    return entries
