"""what the members did when: computing, waiting, sending or receiving, of a point of each result: the last that has a trace, or --point"""

from collections import Counter, defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

import drawn
import runs
import sampled
import style
import units
from figures.utilisation import busy_shares
from sampled import Stretch, merged
from stragglers import stragglers_of

DEFAULT_WIDTH = "double"
TAKES_POINT = True

_COLUMNS = 120  # of the time shown
_MOST_EDGES = 6  # of stretches in a column of a row; where there are more, it shows the share of each
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
    slow = {straggler.rank for straggler in stragglers_of(own, points[at]["scenario"]["workers"])}
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
    told, any_shares = [], False
    for row, (rank, member) in enumerate(zip(ranks, names)):
        for of_place, bottom, top in _PLACES:
            stretches = [merged([one for one in lanes[rank, lane] if one[1] > one[0]], whole * _TOUCHING) for lane in of_place]
            shapes, has_shares = _shapes(stretches, whole / _COLUMNS, len(ranks) - 1 - row + bottom, top - bottom)
            any_shares = any_shares or has_shares
            for lane, own, of_lane in zip(of_place, stretches, shapes):
                name, look = _LANES[lane]
                if own:
                    axes.add_patch(_patch(of_lane, label=name, linewidth=0, **look))
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


def _shapes(lanes: list[list[Stretch]], wide: float, bottom: float, height: float) -> tuple[list[list[Corners]], bool]:
    """Of each lane what is drawn: its stretches, and stacked shares in columns that have too many of them; whether there are such."""
    edges = Counter(min(_COLUMNS - 1, int(edge / wide)) for lane in lanes for stretch in lane for edge in stretch)
    crowded = sorted(column for column, count in edges.items() if count > _MOST_EDGES)
    shapes = [[_rectangle(low, high, bottom, bottom + height) for low, high in _outside(lane, crowded, wide)] for lane in lanes]
    shares = [busy_shares(lane, 0, _COLUMNS * wide, _COLUMNS) if crowded else [] for lane in lanes]
    for columns in _runs_of(crowded):
        lows = [bottom] * len(columns)
        for shape, of_lane in zip(shapes, shares):
            highs = [low + height * of_lane[column] / max(1, sum(one[column] for one in shares)) for low, column in zip(lows, columns)]
            shape.append(_steps(columns[0], wide, lows, highs))
            lows = highs
    return shapes, bool(crowded)


def _outside(stretches: list[Stretch], columns: list[int], wide: float) -> list[Stretch]:
    """What lies in none of the columns, which ascend."""
    holes = [(of_run[0] * wide, (of_run[-1] + 1) * wide) for of_run in _runs_of(columns)]
    left, first = [], 0
    for begin, end in stretches:
        while first < len(holes) and holes[first][1] <= begin:
            first += 1
        at = first
        while at < len(holes) and holes[at][0] < end:
            if begin < holes[at][0]:
                left.append((begin, holes[at][0]))
            begin, at = holes[at][1], at + 1
        if begin < end:
            left.append((begin, end))
    return left


def _runs_of(columns: list[int]) -> list[list[int]]:
    """Those next to each other together."""
    together: list[list[int]] = []
    for column in columns:
        if together and together[-1][-1] == column - 1:
            together[-1].append(column)
        else:
            together.append([column])
    return together


def _rectangle(low: float, high: float, bottom: float, top: float) -> Corners:
    return [(low, bottom), (high, bottom), (high, top), (low, top)]


def _steps(first: int, wide: float, lows: list[float], highs: list[float]) -> Corners:
    """One outline, so that no line is seen between a column and the next."""
    def along(heights: list[float]) -> Corners:
        return [((first + i + beside) * wide, height) for i, height in enumerate(heights) for beside in (0, 1)]

    return along(lows) + along(highs)[::-1]


def _patch(shapes: list[Corners], **look) -> PathPatch:
    """One artist for all of them: thousands would take long to draw."""
    codes = [code for shape in shapes for code in [Path.MOVETO, *[Path.LINETO] * (len(shape) - 1), Path.CLOSEPOLY]]
    return PathPatch(Path([corner for shape in shapes for corner in [*shape, shape[0]]], codes), **look)
