"""the network between the hosts and how much of each link's capacity was used, of a point of each result: the last that has one, or --point"""

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import drawn
import layout
import runs
import style
from network import BUS, HOST, SWITCH, Line, Network, Place, collapsed, read_network

DEFAULT_WIDTH = "double"
TAKES_POINT = True
GROWS_WITH = "results"

# Of more than so many places next to each other, or in no rows, like ones are drawn as one, until they are so few.
_MOST_IN_A_ROW = {"single": 36, "double": 76}
_MOST_SPREAD_OUT = {"single": 26, "double": 56}
# Shares of the capacity up to which a line looks so: darker and wider the more it is used, in a print in grey too.
_LOADS = [(0.2, "#D9C75B", 0.9), (0.4, "#A59C74", 1.5), (0.6, "#7C7B78", 2.2), (0.8, "#4A596C", 3.0), (None, "#00204D", 4.0)]
_IDLE = {"color": "0.6", "linewidth": 0.6, "linestyle": (0, (4, 3))}
_UNLIMITED = {"color": "black", "linewidth": 1.0, "linestyle": ":"}
_MARKERS = {HOST: "o", SWITCH: "s", BUS: "h"}
_SIZE = {HOST: 11.5, SWITCH: 11.5, BUS: 13}  # points
_SERVER = "D"
_BURSTS = ", which is without the bursts that it lets through at once after a rest"
_LETTERS = {"single": 58, "double": 125}  # of a line of text below a panel
_LINE = 0.13  # inches: that line
_NAME, _NAME_OF_A_RING = 9, 17  # points from a place to its name
_OF_A_PANEL = 0.85  # of its size: from the first place to the last, at the least


def draw(results: list[str], width: str, point: int | None = None) -> Figure:
    shown = []
    for result in results:
        one, points, network = read_network(result, point)
        shown.append((runs.point_title(one, points), one, network, _legible(network, width)))
    titles = runs.with_worlds([title for title, *_ in shown], [one for _, one, *_ in shown], results)
    words = [style.wrapped(_words(whole, network), _LETTERS[width]) for *_, whole, network in shown]
    heights = [_height(network, width) + _LINE * (text.count("\n") + 1) for (*_, network), text in zip(shown, words)]
    figure, panels = style.panels(titles, width, columns=1, height=max(heights))
    entries: dict[str, Artist] = {}
    for axes, (*_, network), text in zip(panels, shown, words):
        _draw_panel(axes, network, width)
        axes.set_xlabel(text, fontsize=style.SMALL)
        entries |= _entries(network)
    style.legend(figure, entries)
    return figure


def _legible(network: Network, width: str) -> Network:
    if layout.has_rows(network) and layout.widest_row(network) <= _MOST_IN_A_ROW[width]:
        return network
    return collapsed(network, _MOST_SPREAD_OUT[width])


def _height(network: Network, width: str) -> float:
    """In inches: of rows so many, of others as much as they are wide, nearly."""
    if layout.has_rows(network):
        return 0.85 + 0.75 * (layout.count_rows(network) - 1)
    return 0.9 * style.WIDTHS["single"] if width == "single" else 0.6 * style.WIDTHS["double"]


def _look(line: Line) -> tuple[str, dict]:
    """Its name in the legend, and how it is drawn."""
    if not line.carries():
        return "carries nothing", _IDLE
    share = line.share()
    if share is None:
        return "without a limit in common", _UNLIMITED
    low = 0.0
    for high, colour, wide in _LOADS:
        if high is None or share <= high:
            name = f"{low:.0%} to {high or 1:.0%} used".replace("%", " %")
            return name, {"color": colour, "linewidth": wide, "linestyle": "-"}
        low = high
    raise AssertionError("the last load has no end")


def _draw_panel(axes: Axes, network: Network, width: str) -> None:
    placed = layout.positions(network)
    in_rows = layout.has_rows(network)
    for line in sorted(network.lines, key=lambda line: line.share() or 0):
        _draw_line(axes, network, line, placed)
    ringed = {line.ends[0] for line in network.lines if line.ends[0] == line.ends[1]}
    names = [_label(place, i, network) for i, place in enumerate(network.places)]
    away = [_NAME_OF_A_RING if i in ringed else _NAME for i in range(len(network.places))]
    beside = {i: away[i] for i, place in enumerate(network.places) if place.count > 1 and not (in_rows and place.kind == HOST)}
    if _are_crowded(names, beside, placed, width, _height(network, width)):
        names = [f"\N{MULTIPLICATION SIGN}{network.places[i].count:,}" if i in beside else name for i, name in enumerate(names)]
    hosts = sum(place.kind == HOST for place in network.places)
    room = style.WIDTHS[width] * 72 / max(hosts, 1)  # points a host of the lowest row
    longest = max((len(name) for place, name in zip(network.places, names) if place.kind == HOST), default=0)
    upright = in_rows and style.LETTER * longest + 3 > room
    for i, (place, (x, y), name) in enumerate(zip(network.places, placed, names)):
        below = in_rows and place.kind == HOST
        axes.plot([x], [y], marker=_SERVER if place.servers and not place.workers else _MARKERS[place.kind],
                  markersize=min(_SIZE[place.kind], max(4, 0.7 * room)) if below else _SIZE[place.kind],
                  markerfacecolor="0.9" if place.kind == HOST else "white", markeredgecolor="black", markeredgewidth=0.6,
                  linestyle="none", label="_place", zorder=3, clip_on=False)
        axes.annotate(name, (x, y), xytext=(0, -away[i]) if below else (beside.get(i, 0), 0), textcoords="offset points",
                      ha="left" if i in beside else "center", va="top" if below else "center_baseline",
                      rotation=90 if below and upright else 0, fontsize=style.SMALL, zorder=4)
    axes.set(xticks=[], yticks=[], xlim=(-0.04, 1.04), ylim=(-0.08, 1.12 if in_rows else 1.08))
    axes.tick_params(length=0)  # there are none, but some versions of matplotlib leave room for them
    # Below the hosts' names, however high the panel is.
    lowest = max((one for place, one in zip(network.places, away) if place.kind == HOST), default=_NAME)
    axes.xaxis.labelpad = lowest + (style.LETTER * longest if upright else 1.25 * style.SMALL) if in_rows else 2
    axes.spines[["left", "bottom"]].set_visible(False)
    drawn.tell(axes, [_row(line, network) for line in network.lines], instead=True)


def _are_crowded(names: list[str], beside: dict[int, float], placed: layout.Positions, width: str, height: float) -> bool:
    """Whether a name, so many points to the right of its place as `beside` says, would lie on another place."""
    across, up = style.WIDTHS[width] * 72 * _OF_A_PANEL, height * 72 * _OF_A_PANEL
    mark = max(_SIZE.values()) / 2

    def is_on(name: int, other: int) -> bool:
        right, above = ((b - a) * points for a, b, points in zip(placed[name], placed[other], (across, up)))
        return 0 < right < beside[name] + style.LETTER * len(names[name]) + mark and abs(above) < style.SMALL / 2 + mark

    return any(is_on(name, other) for name in beside for other in range(len(placed)))


def _draw_line(axes: Axes, network: Network, line: Line, placed: layout.Positions) -> None:
    a, b = line.ends
    _, look = _look(line)
    if a != b:
        axes.plot(*zip(placed[a], placed[b]), label="_link", zorder=1, solid_capstyle="round", **look)
        return
    x, y = placed[a]  # a bus, or links between places that are drawn as one
    axes.plot([x], [y], marker="o", markersize=2.1 * _SIZE[network.places[a].kind], markerfacecolor="none",
              markeredgecolor=look["color"], markeredgewidth=look["linewidth"], linestyle="none", label="_link", zorder=2, clip_on=False)


def _label(place: Place, number: int, network: Network) -> str:
    if place.count > 1:
        kind = "server" if place.servers and not place.workers else "host" if place.kind == HOST else "switch"
        return _counted(place.count, kind)
    if place.kind != HOST:
        return str(sum(other.kind != HOST for other in network.places[:number + 1]))
    return ", ".join([*_ranges(place.workers, ""), *_ranges(place.servers, "s")])


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "es" if thing == "switch" else "s")


def _ranges(numbers: list[int], letter: str) -> list[str]:
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return [f"{letter}{numbers[0]}\N{EN DASH}{letter}{numbers[-1]}"]
    return [f"{letter}{number}" for number in numbers]


def _words(whole: Network, network: Network) -> str:
    """What can't be seen: the busiest link, and what was left out."""
    shared = [link for line in whole.lines for link in line.links if link.number("share") is not None]
    words = []
    if shared:
        busiest = whole.busiest(shared)
        used = f"{100 * busiest.known_number('share'):.1f}"
        words.append(f"busiest link: {busiest.text('link')}, {used} % of its capacity{_BURSTS if float(used) > 100 else ''}.")
    if len(network.places) < len(whole.places):
        hosts = sum(place.kind == HOST for place in whole.places)
        counts = [_counted(hosts, "host"), _counted(len(whole.places) - hosts, "switch"),
                  _counted(sum(len(line.links) for line in whole.lines), "link")]
        words.append(f"Like places are drawn as one, each line as its busiest link: {counts[0]}, {counts[1]} and {counts[2]} in all.")
        if any(line.ends[0] == line.ends[1] and network.places[line.ends[0]].count > 1 for line in network.lines):
            words.append("A ring is the links among those that are drawn as one.")
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def _name(place: Place, number: int, network: Network) -> str:
    label = _label(place, number, network)
    if place.count > 1:
        return label
    return f"{place.name} ({label})" if place.kind == HOST else f"{place.kind} {label}"


def _row(line: Line, network: Network) -> drawn.Told:
    """From the mean share of the links to that of the busiest."""
    a, b = (_name(network.places[end], end, network) for end in line.ends)
    mean, most = line.mean_share(), line.share()
    return drawn.Told(series=f"{a} - {b}", mark="link", x=len(line.links), x_text=network.busiest(line.links).text("link"),
                      low=None if mean is None else 100 * mean, high=None if most is None else 100 * most,
                      x_axis="links", y_axis="used of the capacity (%), mean and most")


def _entries(network: Network) -> dict[str, Artist]:
    looks = dict(_look(line) for line in network.lines)
    order = [name for name in ["carries nothing", "without a limit in common"] if name in looks]
    order += sorted(name for name in looks if name not in order)
    entries: dict[str, Artist] = {name: Line2D([], [], **looks[name]) for name in order}

    def mark(name: str, marker: str, colour: str) -> None:
        entries[name] = Line2D([], [], marker=marker, markersize=6, markerfacecolor=colour, markeredgecolor="black",
                               markeredgewidth=0.6, linestyle="none")

    if any(place.workers for place in network.places):
        mark("host, by its worker", "o", "0.9")
    if any(place.servers and not place.workers for place in network.places):
        mark("host of a server", _SERVER, "0.9")
    if any(place.kind == SWITCH for place in network.places):
        mark("switch", "s", "white")
    if any(place.kind == BUS for place in network.places):
        mark("bus", "h", "white")
    return entries
