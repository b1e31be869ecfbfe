"""Writes the results of which the reference pictures are, beside it: what closed forms give for a made-up cluster.

Run it again after a change of the result contract: python3 tests/analysis/reference/generate.py
"""

import csv
import json
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
BANDWIDTH = 1.25e9  # bytes/s
# Parameter bytes, batch size, and one worker's seconds of computing an iteration.
MODELS = {"resnet50": (102_228_128, 64, 0.24), "vgg16": (553_430_176, 32, 0.18)}
SLOW = 3  # the worker that computes longer than others
ITERATIONS = 12  # of each point of the job, of which one is traced


def summary_row(model: str, algorithm: str, variant: str, workers: int) -> dict:
    size, batch, compute = MODELS[model]
    servers = 4 if variant else 1
    shared = workers > 1
    if algorithm == "parameter_server":
        sent, all_servers = size, workers * size
        communication = 2 * workers * size / BANDWIDTH / servers * 0.7
    else:
        sent, all_servers = 2 * (workers - 1) / workers * size, None
        communication = max(0.6 * sent / BANDWIDTH, sent / BANDWIDTH - compute) + 0.004 * shared  # as much as computing can't hide
    iteration = compute + communication + 0.1 * compute * shared
    speedup = workers * compute / iteration
    has_band = model == "resnet50" and algorithm == "ring" and shared
    band = {"speedup_low": 0.88 * speedup, "speedup_high": 1.08 * speedup} if has_band else {}
    return {"scenario": "sample", "model": model, "algorithm": algorithm, "variant": variant, "workers": workers,
            "batch_size": batch, "iterations": 1, "iteration_s": iteration, "compute_s": compute,
            "exposed_communication_s": communication, "images_per_s": workers * batch / iteration, "speedup": speedup,
            "efficiency": speedup / workers, "sent_bytes_per_worker": sent, "server_sent_bytes": all_servers,
            "all_reduce_bound_s": 2 * (workers - 1) / workers * size / BANDWIDTH if shared else None} | band


def sweep_rows() -> list[dict]:
    return [summary_row(model, algorithm, variant, workers) for model in MODELS
            for algorithm, variant in (("parameter_server", ""), ("parameter_server", "servers=4"), ("ring", ""))
            for workers in (1, 2, 4, 8)]


def factors_rows() -> list[dict]:
    return [summary_row("resnet50", algorithm, "", 2 ** power) for algorithm in ("parameter_server", "ring")
            for power in range(11)]


def pairwise_rows() -> list[dict]:
    """The more passes, the more bytes and the higher the accuracy; the all-reduce is the highest."""
    rows = []
    for workers in (4, 8):
        for passes, accuracy in (("1", 0.90), ("2", 0.93), ("3", 0.945), ("all", 0.955)):
            sent = (int(passes) if passes != "all" else 2 * (workers - 1) / workers) * 26e6
            rows.append({"model": "mnist_cnn", "algorithm": f"pairwise_averaging_{passes}", "workers": workers,
                         "accuracy": accuracy - 0.004 * workers, "sent_bytes_per_worker": sent})
        rows.append({"model": "mnist_cnn", "algorithm": "parameter_server", "workers": workers,
                     "accuracy": 0.958 - 0.004 * workers, "sent_bytes_per_worker": 26e6, "server_sent_bytes": 26e6 * workers})
    return rows


def scenario(algorithm: dict, workers: int, model: str) -> dict:
    return {"scenario": {"algorithm": algorithm, "workers": workers, "model": model}}


def sweep_run(rows: list[dict]) -> dict:
    names = {"parameter_server": {"name": "parameter_server"}, "ring": {"name": "all_reduce", "collective": "ring"}}
    return {"points": [scenario(names[row["algorithm"]], row["workers"], row["model"]) for row in rows]}


def span(point: int, rank: int, lane: int, name: str, begin_ms: float, end_ms: float, **more) -> dict:
    return {"ph": "X", "pid": rank + 1, "tid": lane, "name": name, "ts": round(1000 * begin_ms, 3),
            "dur": round(1000 * (end_ms - begin_ms), 3), "args": {"point": point, "rank": rank, "iteration": 1} | more}


def sweep_trace(rows: list[dict]) -> dict:
    """The last point's computing, in which a worker takes 1.7 times as long as the others."""
    point, row = len(rows) - 1, rows[-1]
    return {"traceEvents": [span(point, rank, 0, "x", 0, 1000 * row["compute_s"] * (1.7 if rank == SLOW else 1))
                            for rank in range(row["workers"])]}


COMPUTE, WAIT, COMMUNICATION = 0, 1, 2


def job_run() -> dict:
    return {"points": [scenario({"name": "parameter_server"}, 3, "resnet50"),
                       scenario({"name": "all_reduce", "collective": "ring"}, 4, "resnet50")]}


def job_trace() -> dict:
    return {"traceEvents": [*server_spans(), *ring_spans()]}


def server_spans() -> list[dict]:
    """Workers compute, then send to the one server, one after the other, which adds up and sends back to all."""
    spans = []
    for rank in range(3):
        begin, sent = 20 + 8 * rank, 28 + 8 * rank
        spans += [span(0, rank, COMPUTE, "x", 0, 20), span(0, rank, COMMUNICATION, "send", begin, sent, bytes=8_000_000, message=rank),
                  span(0, 3, COMMUNICATION, "receive", begin, sent, bytes=8_000_000, message=rank),
                  span(0, rank, WAIT, "wait", 20, 50), span(0, 3, COMPUTE, "x", sent, sent + 2),
                  span(0, 3, COMMUNICATION, "send", 50, 62, bytes=8_000_000, message=10 + rank),
                  span(0, rank, COMMUNICATION, "receive", 50, 62, bytes=8_000_000, message=10 + rank)]
    return spans + [span(0, 3, WAIT, "wait", 0, 20)]


def ring_spans() -> list[dict]:
    """Buckets are all-reduced while the rest is computed; a loss is gathered at the end. One worker is late."""
    spans = []
    for rank in range(4):
        late = 4 if rank == 2 else 0
        spans += [span(1, rank, COMPUTE, "x", 0, 8, phase="forward"), span(1, rank, COMPUTE, "x", 8, 22 + late, phase="backward"),
                  span(1, rank, COMPUTE, "x", 44, 46, phase="update")]
        spans += [span(1, rank, WAIT, "wait", 22 + late, 42, message=22), span(1, rank, WAIT, "wait", 42, 44, message=30)]
        for bucket, (begin, size) in enumerate(((8, 25e6), (18, 25e6), (30, 4e5))):
            spans += [span(1, rank, COMMUNICATION, "ring", begin + late / 2, begin + 10, bytes=round(size), message=20 + bucket)]
        spans += [span(1, rank, COMMUNICATION, "ring_all_gather", 41, 43, bytes=400_000, message=30)]
    return spans


def iteration_rows() -> list[dict]:
    return [{"point": point, "iteration": iteration} for point in range(2) for iteration in range(ITERATIONS)]


def traffic_rows() -> list[dict]:
    """Of the job's server: every second iteration of 50 ms sends half; the server what all workers do."""
    rows = []
    for rank in range(4):
        for iteration in range(ITERATIONS):
            size = (8e6 if iteration % 2 else 4e6) * (3 if rank == 3 else 1)
            begin = 0.05 * iteration
            rows.append({"point": 0, "rank": rank, "members": 1, "iteration": iteration, "iterations": 1, "begin_s": begin,
                         "end_s": begin + 0.05, "sent_bytes": size, "received_bytes": 8e6 * (3 if rank == 3 else 1),
                         "sent_packets": size / 1448, "received_packets": 8e6 * (3 if rank == 3 else 1) / 1448})
    return rows


def accuracy_rows() -> list[dict]:
    """Of two algorithms that learn alike by iterations, of which one is faster and one sends less."""
    rows = []
    for point, (algorithm, seconds, size) in enumerate((("ring", 0.02, 8e6), ("pairwise_averaging_1", 0.012, 4e6))):
        for iteration in range(100, 1001, 150):
            rows.append({"point": point, "algorithm": algorithm, "model": "mnist_cnn", "batch_size": 64, "workers": 4, "variant": "",
                         "iteration": iteration, "time_s": seconds * iteration, "images": 256 * iteration, "sent_bytes": size * iteration,
                         "accuracy": 0.98 - (0.4 if algorithm == "ring" else 0.5) * 0.995 ** iteration})
    return rows


def calibration() -> str:
    """Medians around a line of 20 us and 1.25 GB/s, and half of that one way; wide quartiles."""
    lines = ['source: "Made up."']
    for kind, share in (("exchange", 1), ("one_way", 0.5)):
        lines += [f"{kind}:", "  samples:"]
        for power in range(0, 25, 3):
            fitted = 2e-5 + 2 ** power / BANDWIDTH
            seconds = share * fitted * (1 + 0.06 * (-1) ** power * (power % 4) / 3)
            figures = ", ".join(f"{key}: {value:.6g}" for key, value in (
                ("seconds", seconds), ("low", 0.85 * seconds), ("high", 1.3 * seconds), ("fitted", share * fitted)))
            lines.append(f"  - {{bytes: {2 ** power}, {figures}}}")
    return "\n".join(lines) + "\n"


def write_rows(file: Path, rows: list[dict]) -> None:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({c: f"{v:.9g}" if isinstance(v, float) else v for c, v in row.items()} for row in rows)


def write_json(file: Path, value: dict) -> None:
    file.write_text(json.dumps(value, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in ("sweep", "factors", "pairwise", "job", "accuracy", "calibration"):
        (RESULTS / name).mkdir(parents=True, exist_ok=True)
    rows = sweep_rows()
    write_rows(RESULTS / "sweep" / "summary.csv", rows)
    write_json(RESULTS / "sweep" / "run.json", sweep_run(rows))
    write_json(RESULTS / "sweep" / "trace.json", sweep_trace(rows))
    write_rows(RESULTS / "factors" / "summary.csv", factors_rows())
    write_rows(RESULTS / "pairwise" / "summary.csv", pairwise_rows())
    write_json(RESULTS / "job" / "run.json", job_run())
    write_json(RESULTS / "job" / "trace.json", job_trace())
    write_rows(RESULTS / "job" / "iterations.csv", iteration_rows())
    write_rows(RESULTS / "job" / "traffic.csv", traffic_rows())
    write_rows(RESULTS / "accuracy" / "accuracy.csv", accuracy_rows())
    (RESULTS / "calibration" / "calibration.yaml").write_text(calibration(), encoding="utf-8")
