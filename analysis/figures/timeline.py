"""what the members did when: computing, waiting, sending or receiving, of a point of each result: the last that has a trace, or --point"""

from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

import runs
import style
import units

DEFAULT_WIDTH = "double"
TAKES_POINT = True

_FINEST = 500  # parts of the time shown; shorter gaps close
# A lane's name, its bottom and top within its member's row, and its look.
_LANES = {runs.COMPUTE: ("computing", 0.5, 0.92, {"facecolor": style.BLUE}),
          runs.WAIT: ("waiting", 0.5, 0.92, {"facecolor": "0.82"}),
          runs.COMMUNICATION: ("sending or receiving", 0.08, 0.45, {"facecolor": style.VERMILION})}


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    shown = [_shown_point(result, point) for result in results]
    longest = max(_length(spans) for *_, spans, _ in shown)  # one axis for all, so that a prediction can be held beside its measurement
    rows = max(len(runs.some_members(one, {span.rank for span in spans})) for _, one, spans, _ in shown)
    figure, panels = style.panels(runs.with_worlds([name for name, *_ in shown], [one for _, one, *_ in shown], results), width, columns=1, height=0.65 + 0.2 * rows)
    for axes, (_, one, spans, breaks) in zip(panels, shown):
        _draw_panel(axes, one, spans, breaks, longest)
    style.legend(figure, style.labelled(panels))
    return figure


def _length(spans: list[runs.Span]) -> float:
    return max(span.end for span in spans) - min(span.begin for span in spans)


def _shown_point(result: str, number: int | None) -> tuple[str, dict, list[runs.Span], list[float]]:
    """Its title, the point, its spans, and when iterations begin before which some are left out."""
    points, spans = runs.read_points(result), runs.read_spans(result)
    at = runs.chosen_point(number, {span.point for span in spans}, result, "trace.json")
    return runs.point_title(points[at], points), points[at], *runs.without_gaps(points[at], [span for span in spans if span.point == at])


def _draw_panel(axes: Axes, point: dict, spans: list[runs.Span], breaks: list[float], longest: float) -> None:
    begin = min(span.begin for span in spans)
    unit, scale = units.fitting(longest, units.SECONDS)
    lanes: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for span in spans:
        lanes[span.rank, span.lane].append(((span.begin - begin) / scale, (span.end - begin) / scale))
    ranks = runs.some_members(point, {span.rank for span in spans})
    names = [runs.member_name(point, rank) for rank in ranks]
    for row, (rank, member) in enumerate(zip(ranks, names)):
        for lane, (name, bottom, top, look) in _LANES.items():
            busy = merged(lanes[rank, lane], longest / scale / _FINEST)
            if busy:
                axes.add_patch(_rectangles(busy, len(ranks) - 1 - row + bottom, len(ranks) - 1 - row + top,
                                           label=name, gid=f"{member}: {name}", linewidth=0, **look))
    axes.set(xlim=(0, longest / scale or 1), ylim=(0, len(ranks)), xlabel=runs.time_label(point, unit))
    for at in breaks:
        axes.axvline((at - begin) / scale, **style.BREAK)
    axes.set_yticks([len(ranks) - 0.5 - row for row in range(len(ranks))], names)
    axes.tick_params(axis="y", length=0)


def merged(spans: list[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """The times that some span covers, with gaps shorter than `gap` closed; spans may overlap."""
    whole: list[tuple[float, float]] = []
    for begin, end in sorted(span for span in spans if span[1] > span[0]):
        if whole and begin - whole[-1][1] < gap:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((begin, end))
    return whole


def _rectangles(spans: list[tuple[float, float]], bottom: float, top: float, **look) -> PathPatch:
    """One artist for all of them: thousands would take long to draw."""
    corners = [[(low, bottom), (high, bottom), (high, top), (low, top), (low, bottom)] for low, high in spans]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(spans)
    return PathPatch(Path([corner for rectangle in corners for corner in rectangle], codes), **look)
