"""Every cell of the matrix that was measured, as docs/fidelity.csv keeps it, and the tables of docs/fidelity.md that are made of it.

The whole matrix takes longer than a machine is quiet, so it is measured in parts. What is measured as often as what is there, or more
often, replaces it.
"""

from pathlib import Path

import report

FILE = Path("docs/fidelity.csv")
DOCUMENT = "docs/fidelity.md"
# What identifies a cell, what it is of, and its figures. Of those that were measured before this file was kept, some figures are not known: they are empty.
KEY = ["model", "link", "hosts", "algorithm"]
FLAGS = ["is_predicted_first", "is_processor_bound"]
NUMBERS = ["predicted_s", "measured_s", "low_s", "high_s", "error_percent", "speedup_error_percent", "exposed_error_percent",
           "bytes_error_percent", "naive_error_percent"]
PROVENANCE = ["machine", "commit", "date"]
COLUMNS = [*KEY, "device", "repeats", *PROVENANCE, *FLAGS, *NUMBERS]
WORDS = {"ps": "parameter server", "ps, 2 servers": "parameter server, 2 servers", "ps, asynchronous": "parameter server, asynchronous",
         "ps, late pull": "parameter server, `early_pull: false`", "pairwise": "pairwise averaging"}


def read() -> list[dict]:
    cells = []
    for row in report.rows(FILE) if FILE.exists() else []:
        numbers = {name: float(row[name]) if row[name] else None for name in NUMBERS}
        flags = {name: row[name] == "1" if row[name] else None for name in FLAGS}
        cells.append({**row, **numbers, **flags, "hosts": int(row["hosts"]), "repeats": int(row["repeats"])})
    return cells


def text_of(value: object) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else f"{value:.6g}" if isinstance(value, float) else str(value)


def merged(kept: list[dict], results: list[dict], order: list[tuple]) -> list[dict]:
    """Both, in the order of the matrix; of a cell in both the one that was measured more often, else the later."""
    cells = {key_of(cell): cell for cell in kept}
    for cell in results:
        had = cells.get(key_of(cell))
        if had is None or cell["repeats"] >= had["repeats"]:
            cells[key_of(cell)] = cell
    unknown = sorted(set(cells) - set(order))
    if unknown:
        raise ValueError(f"no cell of the matrix: {', '.join(map(str, unknown))}")
    return [cells[key] for key in order if key in cells]


def key_of(cell: dict) -> tuple:
    return tuple(cell[name] for name in KEY)


def keep(results: list[dict], order: list[tuple]) -> list[dict]:
    """Puts what was measured into the file, and returns all that is there."""
    cells = merged(read(), results, order)
    report.write_rows(FILE, [{name: text_of(cell[name]) for name in COLUMNS} for cell in cells])
    return read()


def mean_of(cells: list[dict], name: str) -> tuple[float, int] | None:
    """Of the cells of which it is known, and how many those are. A speed-up of one worker is none."""
    known = [cell[name] for cell in cells if cell[name] is not None]
    return (report.mean_absolute(known), len(known)) if known else None


def summary_line(cells: list[dict]) -> list[str]:
    def percent(name: str, digits: int) -> str:
        mean = mean_of(cells, name)
        if mean is None:
            return ""
        return f"{mean[0]:.{digits}f} %" if mean[1] == len(cells) else f"{mean[0]:.{digits}f} % of {mean[1]}"

    errors = [cell["error_percent"] for cell in cells]
    naive = [cell for cell in cells if cell["naive_error_percent"] is not None]
    ours_there = f" ({mean_of(naive, 'error_percent')[0]:.1f} %)" if naive else ""
    repeats = sorted({cell["repeats"] for cell in cells})
    return [str(len(cells)), str(sum(cell["is_predicted_first"] for cell in cells)),
            "\N{EN DASH}".join(str(n) for n in dict.fromkeys([repeats[0], repeats[-1]])), percent("error_percent", 1),
            str(sum(abs(e) <= 3 for e in errors)), str(sum(abs(e) > 8 for e in errors)), report.signed(max(errors, key=abs)) + " %",
            percent("exposed_error_percent", 1), percent("speedup_error_percent", 1), percent("bytes_error_percent", 1),
            percent("naive_error_percent", 0) + ours_there]


def error_lines(cells: list[dict], algorithms: list[str], columns: list[tuple[str, int]]) -> list[list[str]]:
    """A line of each algorithm: its errors, with a star where processors were the limit."""
    of_all = {(cell["algorithm"], cell["link"], cell["hosts"]): cell for cell in cells}
    lines = []
    for algorithm in algorithms:
        line = [of_all.get((algorithm, *column)) for column in columns]
        if any(line):
            lines.append([WORDS.get(algorithm, algorithm),
                          *["" if cell is None else report.signed(cell["error_percent"]) + "*" * bool(cell["is_processor_bound"])
                            for cell in line]])
    return lines


def document(cells: list[dict], models: list[str], links: list[str], hosts: list[int], algorithms: list[str]) -> None:
    """A table of errors for each model, by link and hosts, and one of what they come to."""
    columns = [(link, n) for link in links for n in hosts]
    header = ["algorithm", *[f"{link}: {n}" if n == hosts[0] else str(n) for link, n in columns]]
    summary = []
    for model in models:
        of_model = [cell for cell in cells if cell["model"] == model]
        if of_model:
            report.write_document(DOCUMENT, f"fidelity of {model}", header, error_lines(of_model, algorithms, columns))
        for link in links:
            some = [cell for cell in of_model if cell["link"] == link]
            if some:
                summary.append([model, link, *summary_line(some)])
    for name, some in (("predicted first", [cell for cell in cells if cell["is_predicted_first"]]),
                       ("predicted anew", [cell for cell in cells if not cell["is_predicted_first"]]),
                       ("processors not the limit", [cell for cell in cells if cell["is_processor_bound"] is False]), ("all", cells)):
        if some:
            summary.append([name, "", *summary_line(some)])
    report.write_document(DOCUMENT, "fidelity", ["model", "link", "cells", "predicted first", "repeats", "mean", "within 3 %", "beyond 8 %", "worst",
                                                 "exposed communication, mean", "speed-up, mean", "bytes, mean", "naive, mean (ours there)"], summary)
