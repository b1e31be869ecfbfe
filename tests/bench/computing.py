"""What one and two workers of this machine take to compute for real, predicted and measured.

The machine is not as fast as it was a minute ago, so each repeat is a calibration, its prediction and then a run.
"""

import shutil
import statistics
from pathlib import Path

import report
import virtual_lab
from progress import Progress

WORK = Path("results/bench/fidelity")
# Batch size, warm-up iterations and timed ones, for some 20 s, about as long as a calibration trains.
MODELS = {"mnist_cnn": (64, 50, 5000), "alexnet": (16, 3, 30), "resnet50": (4, 3, 20)}
WORKERS = [1, 2]


def name(model: str) -> str:
    return f"{model}, this machine"


def folder(model: str) -> Path:
    return WORK / "cells" / f"{model}-this_machine"


def done(model: str) -> list[Path]:
    """The comparisons that are there."""
    return sorted(folder(model).glob("*/comparison.csv"))


def compute(model: str, repeat: int) -> None:
    batch, warmup, iterations = MODELS[model]
    sets = [word for key, value in {"model": model, "batch_size": batch, "warmup_iterations": warmup, "iterations": iterations,
                                    "sweep.workers": WORKERS}.items() for word in ("--set", f"{key}={value}")]
    made = WORK / "calibration" / f"this_machine-{model}-{repeat}"
    shutil.rmtree(folder(model) / str(repeat), ignore_errors=True)  # it was broken off
    report.tandem("calibrate", str(virtual_lab.SCENARIO), *sets, "--out", str(made))
    report.tandem("compare", str(virtual_lab.SCENARIO), "--platform", str(made / "platform.xml"), *sets, "--out",
                  str(folder(model) / str(repeat)))


def measure(models: list[str], repeats: int) -> None:
    todo = [(model, repeat) for repeat in range(1, repeats + 1) for model in models
            if not (folder(model) / str(repeat) / "comparison.csv").exists()]
    progress = Progress([1.0] * len(todo))
    for model, repeat in todo:
        with progress.doing(f"{name(model)}, repeat {repeat}"):
            compute(model, repeat)
        progress.tell(f"{name(model)}, repeat {repeat}")


def results(model: str) -> list[dict]:
    """Of each number of workers, medians of the repeats: an error is that of a prediction and the run after it, and their median one of
    magnitudes, so that a repeat that was too long does not make up for one that was too short."""
    rows = [row for file in done(model) for row in report.rows(file) if row["quantity"] == "iteration_s"]
    lines = []
    for workers in WORKERS if rows else []:
        of_all = [row for row in rows if row["workers"] == str(workers)]
        predicted, measured, errors = ([float(row[key]) for row in of_all] for key in ("predicted", "measured", "error_percent"))
        lines.append({"cell": f"{name(model)}, {workers} worker{'s' if workers > 1 else ''}", "model": model, "batch_size": MODELS[model][0],
                      "workers": workers, "repeats": len(of_all), "predicted_s": statistics.median(predicted),
                      "measured_s": statistics.median(measured), "low_s": min(measured), "high_s": max(measured),
                      "error_percent": statistics.median(map(abs, errors)), "low_error_percent": min(errors), "high_error_percent": max(errors)})
    return lines


def summary_of(lines: list[dict]) -> dict:
    return {"cells": len(lines), "worst_error_percent": max(line["error_percent"] for line in lines)}


def range_of(line: dict) -> str:
    return f"{report.signed(line['low_error_percent'])} to {report.signed(line['high_error_percent'])}"


def show(models: list[str]) -> None:
    report.print_table(["computed by this machine", "batch", "workers", "repeats", "predicted", "measured", "error", "of a repeat"],
                       [[line["model"], str(line["batch_size"]), str(line["workers"]), str(line["repeats"]), f"{line['predicted_s']:.4g} s",
                         f"{line['measured_s']:.4g} s", f"{line['error_percent']:.1f} %", f"{range_of(line)} %"]
                        for model in models for line in results(model)], 1)


def document(lines: list[dict], file: str) -> None:
    table = []
    for line in lines:
        if line["workers"] == WORKERS[0]:
            table.append([f"{line['model']}, {line['batch_size']}", str(line["repeats"])])
        table[-1] += [f"{1e3 * line['predicted_s']:.4g} ms", f"{1e3 * line['measured_s']:.4g} ms",
                      f"{line['error_percent']:.1f} % ({range_of(line)})"]
    report.write_document(file, "computed", ["model, batch", "repeats", "1 worker: predicted", "measured", "error (of a repeat)",
                                             "2 workers: predicted", "measured", "error (of a repeat)"], table)
