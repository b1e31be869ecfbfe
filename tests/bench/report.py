"""What every bench shares: running tandem, the table on the terminal, and results/bench/NAME.json."""

import csv
import datetime
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

OUT = Path("results/bench")

# Open MPI is measured as it comes: what whoever runs a bench has set of how it sends and waits, such as to yield, would be in the
# figures. Settings that a machine may need stay: which hosts, interfaces and launchers there are, and how ranks are placed.
for _name in list(os.environ):
    if _name.startswith(("OMPI_MCA_mpi_", "OMPI_MCA_pml", "OMPI_MCA_coll", "OMPI_MCA_btl")) and "_if_" not in _name:
        del os.environ[_name]


def tandem(*arguments: str) -> None:
    """Runs a tandem command quietly, but for its warnings; ends the bench with its message where it fails. Ends it where the bench is
    ended."""
    with subprocess.Popen(["tandem", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, error = process.communicate()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode != 0:
        sys.exit(f"tandem {' '.join(arguments)}\n{error.strip() or out.strip()}")
    for line in error.splitlines():
        if line.startswith("tandem: warning: "):
            print(line, file=sys.stderr, flush=True)


def end_when_terminated() -> None:
    """By SIGTERM, as by Ctrl-C: what runs is ended, and labs are taken down."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def rows(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write_rows(file: Path, lines: list[dict[str, str]]) -> None:
    temporary = file.with_suffix(".tmp")
    with open(temporary, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    temporary.rename(file)


def run_json(folder: Path) -> dict:
    with open(folder / "run.json", encoding="utf-8") as stream:
        return json.load(stream)


def error_percent(predicted: float, measured: float) -> float:
    return 100 * (predicted - measured) / measured


def mean_absolute(errors: list[float]) -> float:
    return statistics.fmean(abs(error) for error in errors)


def signed(error: float) -> str:
    """With a minus sign, as in print."""
    return f"{error:+.1f}".replace("-", "\N{MINUS SIGN}").replace("+0.0", "0.0").replace("\N{MINUS SIGN}0.0", "0.0")


def print_table(header: list[str], lines: list[list[str]], text_columns: int) -> None:
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    for line in [header, *lines]:
        cells = [cell.ljust(width) if i < text_columns else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def write_document(document: str, name: str, header: list[str], lines: list[list[str]], keys: int = 0) -> None:
    """Puts a table between the marks that a document has for it. Where its first `keys` columns say what a line is of, lines of the
    same columns that are there of something else stay."""
    file = Path(document)
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    text = file.read_text(encoding="utf-8")
    before, rest = text.split(begin)
    old, after = rest.split(end)
    if keys:
        there = [[cell.strip() for cell in line.strip("|").split("|")] for line in old.splitlines()]
        lines = merged(there[2:] if there and there[0] == header else [], lines, keys)
    table = [header, ["---"] * len(header), *lines]
    file.write_text(before + begin + "".join(f"| {' | '.join(line)} |\n" for line in table) + end + after, encoding="utf-8")


def merged(old: list[list[str]], new: list[list[str]], keys: int) -> list[list[str]]:
    """Old lines, of which new ones of the same keys take the places; others come behind the one before them, or last."""
    lines = list(old)
    for i, line in enumerate(new):
        places = [place for place, other in enumerate(lines) if other[:keys] == line[:keys]]
        if places:
            lines[places[0]] = line
        else:
            lines.insert(lines.index(new[i - 1]) + 1 if i > 0 else len(lines), line)
    return lines


def write(name: str, cells: list[dict], summary: dict) -> None:
    """The bench's result file, whole or not at all."""
    OUT.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["tandem", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    result = {"name": name, "machine": _machine(), "versions": {"tandem": version, "mpi": _mpi_version(), "python": platform.python_version()},
              "cells": cells, "summary": summary}
    with tempfile.NamedTemporaryFile("w", dir=OUT, prefix=f".{name}.", delete=False, encoding="utf-8") as stream:
        json.dump(result, stream, indent=1)
    os.chmod(stream.name, 0o644)
    os.replace(stream.name, OUT / f"{name}.json")
    print(f"wrote {OUT / name}.json")


def provenance() -> dict[str, str]:
    """What a measurement is of: the machine, the commit, empty where git knows none, and the day."""
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"], capture_output=True, text=True, check=False)
    machine = _machine()
    return {"machine": f"{machine['cpu']}, {machine['cores']} cores", "commit": done.stdout.strip(),
            "date": datetime.date.today().isoformat()}


def _mpi_version() -> str | None:
    """Nothing where there is no mpirun: some benches only simulate."""
    if shutil.which("mpirun") is None:
        return None
    return subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout.partition("\n")[0]


def _machine() -> dict:
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        models = [line.split(":", 1)[1].strip() for line in stream if line.startswith("model name")]
    return {"cpu": models[0] if models else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release()}
