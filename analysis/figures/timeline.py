"""what the members did when: computing, waiting, sending or receiving, of a point of each result: the last that has a trace, or --point"""

from collections import defaultdict

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

import crowded
import drawn
import runs
import sampled
import style
import units
from sampled import Stretch, merged
from stragglers import stragglers_of

DEFAULT_WIDTH = "double"
TAKES_POINT = True
GROWS_WITH = "results"

_THIN = 0.4  # points: a line of what is too short to be seen
_PANEL = 0.85  # of the figure's width, about
_TOUCHING = 1e-9  # of the time shown: gaps up to that are rounding
_SHARES = "Where stretches are too short to be seen, heights are shares of the time."
# A lane's name and its look, and the bottom and top within its member's row of lanes that are drawn in one place.
_LANES = {runs.COMPUTE: ("computing", {"facecolor": style.BLUE}),
          runs.WAIT: ("waiting", {"facecolor": "0.82"}),
          runs.COMMUNICATION: ("sending or receiving", {"facecolor": style.VERMILION})}
_BOTTOM, _TOP = 0.08, 0.92
_PLACES = [((runs.COMPUTE, runs.WAIT), 0.5, _TOP), ((runs.COMMUNICATION,), _BOTTOM, 0.45)]

Corners = list[tuple[float, float]]


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    shown = [_shown_point(result, point) for result in results]
    points = [one for _, one, _ in shown]
    longest = max(time.length for *_, time in shown)  # one axis for all, so that a prediction can be held beside its measurement
    ranks = [sorted({span.rank for span in time.spans}) for *_, time in shown]
    titles = runs.with_worlds([name for name, *_ in shown], points, results)
    figure, panels = style.panels(titles, width, columns=1, height=0.65 + 0.2 * max(map(len, ranks)))
    shares = [_draw_panel(axes, one, time, longest) for axes, (_, one, time) in zip(panels, shown)]
    style.legend(figure, style.labelled(panels))
    style.note(figure, [*runs.members_drawn(titles, points, ranks), *([_SHARES] if any(shares) else [])])
    return figure


def _shown_point(result: str, number: int | None) -> tuple[str, dict, sampled.Shown]:
    """Its title, the point, and what its trace shows of the members that are drawn."""
    points, spans = runs.read_points(result), runs.read_spans(result)
    at = runs.chosen_point(number, {span.point for span in spans}, result, "trace.json")
    own = [span for span in spans if span.point == at]
    slow = {straggler.rank for straggler in stragglers_of(own, runs.recorded_workers(points[at]))}
    ranks = runs.some_members(points[at], {span.rank for span in own}, slow)
    return runs.point_title(points[at], points), points[at], sampled.shown_time(result, at, [span for span in own if span.rank in ranks])


def _draw_panel(axes: Axes, point: dict, time: sampled.Shown, longest: float) -> bool:
    """Whether some of it is drawn as shares."""
    begin = min(span.begin for span in time.spans)
    unit, scale = units.fitting(longest, units.SECONDS)
    lanes: dict[tuple[int, int], list[Stretch]] = defaultdict(list)
    for span in time.spans:
        lanes[span.rank, span.lane].append(((span.begin - begin) / scale, (span.end - begin) / scale))
    ranks = sorted({span.rank for span in time.spans})
    names = [runs.member_name(point, rank) for rank in ranks]
    whole = longest / scale or 1
    label = sampled.time_label(point, unit)
    seen = whole * _THIN / (72 * _PANEL * axes.figure.get_figwidth())
    iterations = sampled.iterations(time.spans)
    told, any_shares = [], False
    for row, (rank, member) in enumerate(zip(ranks, names)):
        known = list(iterations.get(rank, {}).values())
        starts = [low for low, _ in known] + ([max(high for _, high in known)] if known else [])
        ends = crowded.columns([(start - begin) / scale for start in starts], whole)
        for of_place, bottom, top in _PLACES:
            stretches = [merged([one for one in lanes[rank, lane] if one[1] > one[0]], whole * _TOUCHING) for lane in of_place]
            shapes, has_shares = _shapes(stretches, ends, seen, len(ranks) - 1 - row + bottom, top - bottom)
            any_shares = any_shares or has_shares
            for lane, own, (of_lane, thin) in zip(of_place, stretches, shapes):
                name, look = _LANES[lane]
                if own:
                    axes.add_patch(_patch(of_lane, label=name, linewidth=0, **look))
                    axes.vlines(thin, len(ranks) - 1 - row + bottom, len(ranks) - 1 - row + top, colors=look["facecolor"],
                                linewidth=_THIN, capstyle="butt", zorder=1.5)
                told += [_told(member, name, stretch, label) for stretch in own]
        own = [((low - begin) / scale, (high - begin) / scale) for low, high in time.unrecorded.get(rank, [])]
        if own:
            axes.add_patch(_patch([_rectangle(low, high, len(ranks) - 1 - row + _BOTTOM, len(ranks) - 1 - row + _TOP) for low, high in own],
                                  label=sampled.NOT_RECORDED, zorder=0, **style.UNKNOWN))
        told += [_told(member, sampled.NOT_RECORDED, stretch, label) for stretch in own]
    axes.set(xlim=(0, whole), ylim=(0, len(ranks)), xlabel=label)
    for at in time.breaks:
        axes.axvline((at - begin) / scale, **style.BREAK)
    axes.set_yticks([len(ranks) - 0.5 - row for row in range(len(ranks))], names)
    axes.tick_params(axis="y", length=0)
    drawn.tell(axes, told, instead=True)
    return any_shares


def _told(member: str, name: str, stretch: Stretch, label: str) -> drawn.Told:
    return drawn.Told(f"{member}: {name}", "span", None, "", *stretch, label, "")


def _shapes(lanes: list[list[Stretch]], ends: list[float], seen: float, bottom: float,
            height: float) -> tuple[list[tuple[list[Corners], list[float]]], bool]:
    """Of each lane its stretches, with stacked shares in columns that have too many of them, and the places of thin lines.

    And whether there are such shares.
    """
    shown, columns = crowded.drawn(lanes, ends, seen)
    shapes = [[_rectangle(low, high, bottom, bottom + height) for low, high in lane.wide] for lane in shown]
    for of_run in crowded.runs_of(columns):
        lows = [bottom] * len(of_run)
        for shape, lane in zip(shapes, shown):
            highs = [low + height * lane.shares[column] / max(1, sum(one.shares[column] for one in shown))
                     for low, column in zip(lows, of_run)]
            shape.append(_steps(ends[of_run[0]:of_run[-1] + 2], lows, highs))
            lows = highs
    return [(shape, lane.thin) for shape, lane in zip(shapes, shown)], bool(columns)


def _rectangle(low: float, high: float, bottom: float, top: float) -> Corners:
    return [(low, bottom), (high, bottom), (high, top), (low, top)]


def _steps(ends: list[float], lows: list[float], highs: list[float]) -> Corners:
    """Of columns that end there, one outline, so that no line is seen between a column and the next."""
    def along(heights: list[float]) -> Corners:
        return [(edge, height) for *of_column, height in zip(ends, ends[1:], heights) for edge in of_column]

    return along(lows) + along(highs)[::-1]


def _patch(shapes: list[Corners], **look) -> PathPatch:
    """One artist for all of them: thousands would take long to draw."""
    codes = [code for shape in shapes for code in [Path.MOVETO, *[Path.LINETO] * (len(shape) - 1), Path.CLOSEPOLY]]
    corners = [corner for shape in shapes for corner in [*shape, shape[0]]]
    return PathPatch(Path(corners, codes) if corners else Path(numpy.empty((0, 2))), **look)
