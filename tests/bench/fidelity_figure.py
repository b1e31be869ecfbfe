"""Draws docs/fidelity.csv into docs/figures: what was predicted and measured over hosts, and how large errors are, beside those of
nominal figures."""

import sys
from pathlib import Path

# Last: both folders have a report.py.
sys.path.append(str(Path(__file__).resolve().parents[2] / "analysis"))

from matplotlib.figure import Figure  # noqa: E402  (analysis is a folder of scripts)
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402

import fidelity_record  # noqa: E402
import figures  # noqa: E402
import names  # noqa: E402
import plot  # noqa: E402
import style  # noqa: E402

FOLDER = Path("docs/figures")
# All of them would hide each other; these move bytes in unlike ways.
DRAWN = {"ps": "parameter_server", "ring": "ring", "pairwise": "pairwise_averaging", "ZeRO-3": "zero", "ps, asynchronous": "asynchronous"}
SHOWN_PERCENT = 0.1  # smaller errors are drawn as this


def by_hosts(cells: list[dict]) -> Figure:
    """A panel for each model and link: lines of predictions, marks of measurements."""
    cells = [cell for cell in cells if cell["measured_s"] is not None]
    panels = list(dict.fromkeys((cell["model"], cell["link"]) for cell in cells))
    looks = {name: {**style.line(number), "markerfacecolor": "none"} for name, number in style.styles(list(DRAWN.items())).items()}
    figure, axes = style.panels([f"{names.model(model)}, {link}" for model, link in panels], "double", 3)
    for one, panel in zip(axes, panels):
        of_panel = [cell for cell in cells if (cell["model"], cell["link"]) == panel]
        unit, scale = ("ms", 1e3) if max(cell["measured_s"] for cell in of_panel) < 1 else ("s", 1.0)
        for algorithm, look in looks.items():
            some = sorted((cell for cell in of_panel if cell["algorithm"] == algorithm), key=lambda cell: cell["hosts"])
            if not some:
                continue  # of an empty line that isn't clipped nobody can say where it is
            hosts = [cell["hosts"] for cell in some]
            one.plot(hosts, [scale * cell["predicted_s"] for cell in some], **{**look, "marker": ""})
            one.plot(hosts, [scale * cell["measured_s"] for cell in some], **{**look, "linestyle": "none"})
            several = [cell for cell in some if cell["repeats"] > 1]
            bars = ([scale * cell[key] for cell in several] for key in ("measured_s", "low_s", "high_s"))
            style.spreads(one, algorithm, [cell["hosts"] for cell in several], *bars, color=look["color"])
        one.set(xlabel="hosts", ylabel=f"iteration time ({unit})", xticks=sorted({cell["hosts"] for cell in cells}))
        one.set_ylim(bottom=0)
    entries = {fidelity_record.WORDS.get(name, name): Line2D([], [], **look) for name, look in looks.items()}
    style.finish(figure, axes, entries)
    style.note(figure, ["Lines: predicted. Marks: measured, with bars from the least to the most where there were several runs.",
                        *_notes(cells)])
    return figure


def of_errors(cells: list[dict]) -> Figure:
    """A panel for each model: of what share of the cells predictions are so far off at most, where both kinds are known."""
    cells = [cell for cell in cells if cell["naive_error_percent"] is not None]
    models = list(dict.fromkeys(cell["model"] for cell in cells))
    figure, axes = style.panels([names.model(model) for model in models], "double", 3)
    kinds = {"calibrated": ("error_percent", style.line(0)), "nominal figures": ("naive_error_percent", style.line(1))}
    for one, model in zip(axes, models):
        for label, (column, look) in kinds.items():
            errors = sorted(abs(cell[column]) for cell in cells if cell["model"] == model)
            shares = [100 * (i + 1) / len(errors) for i in range(len(errors))]
            one.step([max(error, SHOWN_PERCENT) for error in errors], shares, where="post", label=label, **{**look, "marker": ""})
        one.set(xscale="log", xlim=(SHOWN_PERCENT, 100), ylim=(0, 100), xlabel="error of iteration time, at most (%)", ylabel="cells (%)")
        one.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        one.xaxis.set_minor_formatter(NullFormatter())
    style.finish(figure, axes)
    style.note(figure, _notes(cells))
    return figure


def _notes(cells: list[dict]) -> list[str]:
    return figures.paced_notes(sorted({cell["device"] for cell in cells}))


def draw() -> None:
    cells = fidelity_record.read()
    plot.save(by_hosts(cells), FOLDER / "fidelity.png")
    plot.save(of_errors(cells), FOLDER / "fidelity_errors.png")


if __name__ == "__main__":
    draw()
