"""share of the members that compute, and that send or receive, over the time that the trace shows, a panel a point, or --point alone"""

from collections import defaultdict

from matplotlib.figure import Figure

import names
import runs
import style
import units

DEFAULT_WIDTH = "double"
TAKES_POINT = True

_BINS = 60
_LINES = {runs.COMPUTE: ("computing", {"color": style.BLUE, "linestyle": "-"}),
          runs.COMMUNICATION: ("sending or receiving", {"color": style.VERMILION, "linestyle": "--"})}


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    found = [(result, one) for result in results for one in _points(result, point)]
    told = runs.with_worlds([name for _, (name, *_) in found], [one for _, (_, one, *_) in found], [result for result, _ in found])
    shown = [(name, *rest) for name, (_, (_, *rest)) in zip(told, found)]
    figure, panels = style.panels([name for name, *_ in shown], width, height=1.6)
    for axes, (_, one, lanes, ranks, breaks) in zip(panels, shown):
        spans = [span for of_lane in lanes.values() for of_rank in of_lane.values() for span in of_rank]
        begin, end = min(span[0] for span in spans), max(span[1] for span in spans)
        unit, scale = units.fitting(end - begin, units.SECONDS)
        for lane, (label, look) in _LINES.items():
            shares = [0.0] * _BINS
            for of_rank in lanes[lane].values():
                for i, share in enumerate(busy_shares(of_rank, begin, end, _BINS)):
                    shares[i] += 100 * share / len(ranks)
            middles = [(i + 0.5) / _BINS * (end - begin) / scale for i in range(_BINS)]
            axes.plot(middles, shares, drawstyle="steps-mid", label=label, **look)
        for at in breaks:
            axes.axvline((at - begin) / scale, **style.BREAK)
        axes.set(xlabel=runs.time_label(one, unit), ylabel="busy members (%)", xlim=(0, (end - begin) / scale or 1), ylim=(0, 108),
                 yticks=[0, 50, 100])
        axes.grid(axis="y", color="0.9", linewidth=0.6)
        axes.set_axisbelow(True)
    style.finish(figure, panels)
    style.note(figure, [f"{_whole(shown)} A step is the mean over a {_BINS}th of the time shown."])
    return figure


def _whole(shown: list[tuple[str, dict, dict, set[int], list[float]]]) -> str:
    """What 100 % are: a trace may show fewer members than the job has."""
    parts = {name: f"all of the {names.counted(len(ranks), 'members')} that the trace shows"
             for name, one, _, ranks, _ in shown if len(ranks) < runs.count_members(one)}
    said = set(parts.values())
    if len(parts) == len(shown) and len(said) == 1:
        return f"100 %: {said.pop()} are busy; {'the job has' if len(shown) == 1 else 'jobs have'} more."
    return "; ".join(["100 %: all workers and servers are busy", *(f"of {name}, {part}" for name, part in parts.items())]) + "."


def busy_shares(spans: list[tuple[float, float]], begin: float, end: float, bins: int) -> list[float]:
    """Of each of `bins` equal parts of begin to end, the share that some span covers; spans may overlap."""
    width = (end - begin) / bins or 1
    covered = [0.0] * bins
    done = begin
    for low, high in sorted(spans):
        low, done = max(low, done), max(high, done)
        at = min(bins - 1, int((low - begin) / width))
        while low < high and at < bins:
            until = min(high, begin + (at + 1) * width) if at < bins - 1 else high
            covered[at] += max(0.0, until - low)
            low, at = max(low, until), at + 1
    return [part / width for part in covered]


def _points(result: str, chosen: int | None) -> list[tuple[str, dict, dict, set[int], list[float]]]:
    """The name of each and the point; by lane and rank, spans; the ranks shown; and when iterations begin before which some are left out."""
    points = runs.read_points(result)
    of_point: dict[int, list[runs.Span]] = defaultdict(list)
    ranks: dict[int, set[int]] = defaultdict(set)  # those that only wait too
    for span in runs.read_spans(result):
        ranks[span.point].add(span.rank)
        if span.lane in _LINES:
            of_point[span.point].append(span)
    shown = []
    for number in sorted(of_point) if chosen is None else [runs.chosen_point(chosen, set(of_point), result, "trace.json")]:
        lanes: dict = {lane: defaultdict(list) for lane in _LINES}
        spans, breaks = runs.without_gaps(points[number], of_point[number])
        for span in spans:
            lanes[span.lane][span.rank].append((span.begin, span.end))
        shown.append((runs.point_name(points[number], points), points[number], lanes, ranks[number], breaks))
    return shown
