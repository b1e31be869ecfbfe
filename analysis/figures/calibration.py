"""what messages, and all-reduces in a host's memory, took in a calibration, the lines through it, and how far the samples are from them"""

import re
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import runs
import style
from results import MissingFile, ResultError, is_of_result, locate

DEFAULT_WIDTH = "double"

_SAMPLE = re.compile(r"  - \{bytes: +(\S+), seconds: (\S+), low: (\S+), high: (\S+), fitted: (\S+)\}")

# What a key's samples are called, and how they are drawn.
_LOOKS = {"exchange": ("both ways at once", style.BLUE, "o"), "one_way": ("one way", style.ORANGE, "s"),
          "all_reduce": ("all-reduce in memory", style.GREEN, "^")}

_EAGER = re.compile(r"eager_bytes: (\d+)")


@dataclass(frozen=True)
class Sample:
    size: int
    seconds: float
    low: float
    high: float
    fitted: float


def draw(results: list[str], width: str) -> Figure:
    if len(results) > 1:
        raise ResultError(f"{results[1]}: a figure is of one calibration")
    file = _locate(Path(results[0]))
    kinds, eager_bytes = _read(file)
    figure, (times, errors) = style.panels(["", ""], width, columns=1 if width == "single" else 2, height=2.2)
    for kind, samples in kinds.items():
        label, color, marker = _LOOKS[kind]
        _draw_times(times, samples, label, color, marker)
    for kind in ("exchange", "all_reduce"):
        if fitted := kinds.get(kind):
            times.plot([s.size for s in fitted], [s.fitted for s in fitted], color=style.BLACK, linewidth=0.8, label="fit", zorder=1)
    times.set(xscale="log", yscale="log", ylabel="time (s)" if "all_reduce" in kinds else "time of a message (s)")
    errors.axhline(0, color=style.GREY, linewidth=0.6)
    for kind, samples in _fitted_to(kinds, eager_bytes).items():
        label, color, marker = _LOOKS[kind]
        errors.plot([s.size for s in samples], [100 * (s.fitted - s.seconds) / s.seconds for s in samples], color=color,
                    marker=marker, linewidth=0.8, label=label)
    errors.set(xscale="log", ylabel="fit \N{MINUS SIGN} median (%)")
    for axes in (times, errors):
        axes.set_xlabel("size (bytes)")
        style.name_powers(axes.xaxis)
    style.name_powers(times.yaxis)
    style.legend(figure, style.labelled([times]))
    style.note(figure, ["Points: medians. Error bars: first to third quartile."])
    return figure


def _fitted_to(kinds: dict[str, list[Sample]], eager_bytes: int) -> dict[str, list[Sample]]:
    """The samples that the lines were fitted to: of one way what is sent unasked, of both ways what is larger than that; of all-reduces all."""
    one_way = [s for s in kinds.get("one_way", []) if s.size <= eager_bytes]
    covered = max((s.size for s in one_way), default=0)
    both = [s for s in kinds["exchange"] if s.size > covered]
    return {kind: samples for kind, samples in (("one_way", one_way), ("exchange", both), ("all_reduce", kinds.get("all_reduce"))) if samples}


def _draw_times(axes: Axes, samples: list[Sample], label: str, color: str, marker: str) -> None:
    """Medians, with bars from the first to the third quartile."""
    sizes, medians = [s.size for s in samples], [s.seconds for s in samples]
    axes.plot(sizes, medians, linestyle="none", marker=marker, markersize=3, color=color, label=label)
    style.spreads(axes, label, sizes, medians, [s.low for s in samples], [s.high for s in samples], color=color)


def _locate(given: Path) -> Path:
    """The calibration that is given, or is beside the file that is."""
    beside = given.parent / "calibration.yaml"
    if given.is_file() and given != beside and (beside.is_file() or is_of_result(given.parent)):
        given = given.parent
    if given.is_file() or (given / "calibration.yaml").is_file():
        return locate(given, "calibration.yaml")
    if not is_of_result(given):
        file = given / "calibration.yaml" if given.is_dir() else given
        raise MissingFile(f"{file}: no such file; a calibration is a folder that tandem calibrate writes")
    used = [folder for folder in _platforms(given) if (folder / "calibration.yaml").is_file()]
    raise MissingFile(f"{given}: this is a result, and no calibration; " +
                      (f"take {used[0]}, whose platform was simulated" if used else "a calibration is a folder that tandem calibrate writes"))


def _platforms(result: Path) -> list[Path]:
    """The folders of platforms that a result's, or its prediction's, points were simulated on."""
    files = [run for run in (result / "run.json", result / "predicted" / "run.json") if run.is_file()]
    points = [point for file in files for point in runs.read_points(str(file.parent))]
    environments = [point.get("environment", {}) for point in points]
    return [Path(environment["platform_file"]).parent for environment in environments if isinstance(environment.get("platform_file"), str)]


def _read(file: Path) -> tuple[dict[str, list[Sample]], int]:
    """The samples by kind, and below what size they are sent unasked; the file is YAML, of which tandem writes each sample as a line of its own."""
    kinds: dict[str, list[Sample]] = {}
    kind, eager_bytes = "", 0
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(f"{file}: can't be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if line and line[0] not in " #":
            kind = line.split(":")[0]
        if match := _EAGER.fullmatch(line):
            eager_bytes = int(match[1])
        match = _SAMPLE.fullmatch(line)
        if match and kind in _LOOKS:
            sample = Sample(int(match[1]), *(float(match[i]) for i in range(2, 6)))
            if not sample.low <= sample.seconds <= sample.high:
                raise ResultError(f"{file}:{number}: the median is not between the quartiles, 'low' and 'high'; calibrate again")
            kinds.setdefault(kind, []).append(sample)
    if "exchange" not in kinds:
        raise ResultError(f"{file}: has no samples of an exchange; tandem calibrate writes them")
    return kinds, eager_bytes
