"""Draws a figure of the sample results and says what it shows, for the tests of the kinds."""

import csv
from pathlib import Path

from context import DATA, SUMMARY
import drawn
from figures import KINDS
from names import on_one_line


def draw(kind: str, result: Path = DATA, width: str = "double"):
    return KINDS[kind].draw([str(result)], width)


def panel(figure, title: str):
    return next(axes for axes in figure.axes if on_one_line(axes.get_title()) == title)


def titles(figure) -> list[str]:
    """Of its panels."""
    return [on_one_line(axes.get_title()) for axes in figure.axes if axes.get_title()]


def notes(figure) -> list[str]:
    """And the figure's own title."""
    return [on_one_line(text.get_text()) for text in figure.texts]


def lines(axes) -> dict:
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.get_lines()}


def legend_texts(figure) -> list[str]:
    return [text.get_text() for axes in figure.axes if axes.get_legend()
            for text in axes.get_legend().get_texts()]


def table_rows(figure) -> list[dict]:
    """Of the CSV file that is written beside it."""
    return list(csv.DictReader(drawn.table(figure).splitlines()))


def column(model: str, algorithm: str, name: str) -> list[float]:
    with open(SUMMARY, newline="", encoding="utf-8") as stream:
        return [float(row[name]) for row in csv.DictReader(stream)
                if row["model"] == model and row["algorithm"] == algorithm]
