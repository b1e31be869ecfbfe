"""What breakdown shows of one point: of each member what an iteration's time went into, by cause, in the mean over the traced ones."""

from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

import names
import runs
import style
import units
from stragglers import stragglers_of, times

_EDGE = {"edgecolor": "black", "linewidth": 0.4}
_PHASES = {"input": style.GREEN, "forward": style.SKY, "backward": style.BLUE, "reduce": "white", "update": style.PURPLE,
           "compress": "0.8"}
_WAITS = [style.YELLOW, style.ORANGE, style.VERMILION]  # hatched, by what is waited for
_REST = "other"
_UNKNOWN = "waiting"
_MESSAGES = {"send": "waiting to send", "receive": "waiting to receive"}


def draw(results: list[str], width: str, point: int) -> Figure:
    shown = [_shown_point(result, point) for result in results]
    parts = [_parts(spans) for _, _, spans in shown]
    looks = _looks({name for of_point in parts for of_rank in of_point.values() for name in of_rank})
    points = [one for _, one, _ in shown]
    ranks = [runs.some_members(one, set(of_point), {slow.rank for slow in stragglers_of(spans, runs.recorded_workers(one))})
             for (_, one, spans), of_point in zip(shown, parts)]
    titles = runs.with_worlds([name for name, _, _ in shown], points, results)
    figure, panels = style.panels(titles, width, columns=1, height=2.2)
    for axes, (_, one, spans), of_rank, drawn in zip(panels, shown, parts, ranks):
        _draw_panel(axes, one, spans, {rank: of_rank[rank] for rank in drawn}, looks)
    seen = {bar.get_gid() for axes in panels for bar in axes.patches if style.is_seen(bar)}
    style.finish(figure, panels, {name: Patch(**look, **_EDGE) for name, look in looks.items() if name in seen})
    style.note(figure, runs.members_drawn(titles, points, ranks))
    if any(axes.texts for axes in panels):
        style.note(figure, ["\N{MULTIPLICATION SIGN}: times as long as the others compute in the median."])
    return figure


def _shown_point(result: str, number: int) -> tuple[str, dict, list[runs.Span]]:
    points, spans = runs.read_points(result), runs.read_spans(result)
    at = runs.chosen_point(number, {span.point for span in spans}, result, "trace.json")
    return runs.point_title(points[at], points), points[at], [span for span in spans if span.point == at]


def _parts(spans: list[runs.Span]) -> dict[int, dict[str, float]]:
    """Seconds an iteration by rank and cause."""
    awaited = {(span.rank, span.args["message"]): span.name for span in spans
               if span.lane == runs.COMMUNICATION and span.args.get("message")}
    sums: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    ends: dict[tuple[int, int], list[float]] = {}
    for span in spans:
        if span.lane == runs.COMMUNICATION:
            continue
        sums[span.rank][_cause(span, awaited)] += span.end - span.begin
        whole = ends.setdefault((span.rank, span.args.get("iteration", -1)), [span.begin, span.end])
        whole[:] = min(whole[0], span.begin), max(whole[1], span.end)
    for rank, of_rank in sums.items():
        own = [end - begin for (one, _), (begin, end) in ends.items() if one == rank]
        of_rank[_REST] += max(0.0, sum(own) - sum(of_rank.values()))
        for cause in of_rank:
            of_rank[cause] /= len(own)
    return sums


def _cause(span: runs.Span, awaited: dict[tuple[int, int], str]) -> str:
    if span.lane == runs.COMPUTE:
        return span.args.get("phase") if span.args.get("phase") in _PHASES else _REST
    name = awaited.get((span.rank, span.args.get("message", 0)))
    if name is None:
        return _UNKNOWN
    return _MESSAGES.get(name) or f"waiting for {names.operation(name)}"


def _looks(causes: set[str]) -> dict[str, dict]:
    """From the bottom of a bar to its top."""
    looks = {phase: {"facecolor": colour} for phase, colour in _PHASES.items() if phase in causes}
    for i, name in enumerate(sorted(causes - {*looks, _REST})):
        looks[name] = {"facecolor": _WAITS[i % len(_WAITS)], "hatch": style.hatch(1 + i)}
    return looks | {_REST: {"facecolor": "0.55"}}


def _draw_panel(axes: Axes, point: dict, spans: list[runs.Span], parts: dict[int, dict[str, float]], looks: dict[str, dict]) -> None:
    ranks = list(parts)
    unit, scale = units.fitting(max(sum(parts[rank].values()) for rank in ranks), units.SECONDS)
    bottoms = [0.0] * len(ranks)
    for name, look in looks.items():
        heights = [parts[rank].get(name, 0) / scale for rank in ranks]
        if any(heights):
            axes.bar(range(len(ranks)), heights, 0.7, bottom=bottoms, label=name, gid=name, **look, **_EDGE)
            bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
    axes.set_xticks(range(len(ranks)), [runs.member_name(point, rank).replace(" ", "\n") for rank in ranks])
    axes.set(ylabel=f"time per iteration ({unit})", ylim=(0, 1.15 * max(bottoms) or 1), xlim=(-0.6, max(len(ranks), 3) - 0.4))
    for straggler in stragglers_of(spans, runs.recorded_workers(point)):
        if straggler.rank in ranks:
            at = ranks.index(straggler.rank)
            axes.annotate(times([straggler]), (at, bottoms[at]), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                          fontsize=style.SMALL)
