"""Writes the sample result files beside it: what closed forms give for a made-up cluster, so that shapes are right.

Run it again after a change of the result contract: python3 tests/analysis/data/generate.py
"""

import csv
import json
from pathlib import Path

HERE = Path(__file__).parent
SUMMARY_COLUMNS = (
    "scenario,world,platform,device,model,dataset,algorithm,workers,batch_size,iterations,iteration_s,compute_s,"
    "exposed_communication_s,images_per_s,speedup,efficiency,sent_bytes_per_worker,received_bytes_per_worker,"
    "server_sent_bytes,server_received_bytes,packets_sent,packets_received,peak_memory_bytes,loss,accuracy,"
    "final_weights_hash").split(",")
COMPARISON_COLUMNS = (
    "algorithm,model,workers,quantity,predicted,measured,error_percent,repeats,measured_low,measured_high").split(",")

BANDWIDTH = 250e6  # bytes/s
SEGMENT = 1448
ITERATIONS = 10
# Parameter bytes, batch size, and one worker's seconds of computing an iteration.
MODELS = {
    "alexnet": (244_403_360, 512, 0.780),
    "resnet50": (102_228_128, 64, 1.233),
    "resnet152": (240_771_232, 32, 1.600),
    "vgg16": (553_430_176, 32, 0.904),
    "inception_v3": (95_327_872, 64, 2.098),
}


def summary_row(model: str, algorithm: str, workers: int) -> dict:
    size, batch, compute = MODELS[model]
    row = {"scenario": "sample", "world": "simulated", "platform": "sample_cluster", "device": "k80", "model": model,
           "dataset": "synthetic", "algorithm": algorithm, "workers": workers, "batch_size": batch,
           "iterations": ITERATIONS, "compute_s": compute}
    if algorithm == "ring":
        sent = 2 * (workers - 1) / workers * size * ITERATIONS
        received = sent
        communication = 2 * (workers - 1) / workers * size / BANDWIDTH * 0.6  # the rest overlaps
    else:
        sent = received = size * ITERATIONS
        communication = 2 * workers * size / BANDWIDTH * 0.8
        row |= {"server_sent_bytes": workers * received, "server_received_bytes": workers * sent}
    row |= {"sent_bytes_per_worker": round(sent), "received_bytes_per_worker": round(received),
            "packets_sent": -(-round(sent) // SEGMENT), "packets_received": -(-round(received) // SEGMENT),
            "exposed_communication_s": communication, "iteration_s": compute + communication,
            "images_per_s": workers * batch / (compute + communication), "accuracy": 0.9 - workers / 100}
    return row


def summary_rows() -> list[dict]:
    rows = [summary_row(model, algorithm, workers) for model in MODELS
            for algorithm in ("parameter_server", "ring") for workers in range(1, 7)]
    base = {row["model"]: row["images_per_s"] for row in rows
            if row["workers"] == 1 and row["algorithm"] == "ring"}
    for row in rows:
        row["speedup"] = row["images_per_s"] / base[row["model"]]
        row["efficiency"] = row["speedup"] / row["workers"]
    return rows


def comparison_rows() -> list[dict]:
    # By quantity: the least and the most of the repeats by their median. Bytes are counted, not timed.
    spreads = {"iteration_s": (0.97, 1.05), "speedup": (0.97, 1.05), "exposed_communication_s": (0.97, 1.05), "sent_bytes_per_worker": (1, 1)}
    figures = {  # algorithm, workers: predicted and measured, of each quantity
        ("ring", 1): ((0.00912, 0.00930), (1, 1), (0, 0.00001), (0, 0)),
        ("ring", 2): ((0.01015, 0.01102), (1.797, 1.688), (0.00103, 0.00172), (874_400, 874_400)),
        ("parameter_server", 1): ((0.00954, 0.01001), (1, 1), (0.00042, 0.00071), (874_400, 874_400)),
        ("parameter_server", 2): ((0.01133, 0.01098), (1.684, 1.823), (0.00221, 0.00168), (874_400, 874_400)),
    }
    return [{"algorithm": algorithm, "model": "mnist_cnn", "workers": workers, "quantity": quantity,
             "predicted": predicted, "measured": measured,
             "error_percent": 100 * (predicted - measured) / measured if measured else 0,
             "repeats": 5, "measured_low": low * measured, "measured_high": high * measured}
            for (algorithm, workers), pairs in figures.items()
            for (quantity, (low, high)), (predicted, measured) in zip(spreads.items(), pairs)]


def staleness_rows() -> list[dict]:
    updates = {2: {0: 10, 1: 30}, 4: {1: 5, 2: 10, 3: 85}}
    return [{"point": point, "algorithm": "asynchronous_ps", "model": "mnist_cnn", "batch_size": 8, "workers": workers, "variant": "",
             "staleness": staleness, "updates": count}
            for point, (workers, counts) in enumerate(updates.items()) for staleness, count in counts.items()]


def run() -> dict:
    """ZeRO's stages on four workers: a gigabyte of weights, as much of gradients, twice that of optimizer state."""
    points = []
    for stage in range(4):
        parts = {"parameters": 1e9 / (4 if stage > 2 else 1), "gradients": 1e9 / (4 if stage > 1 else 1),
                 "optimizer_state": 2e9 / (4 if stage > 0 else 1), "layer_groups_in_use": 2e8 if stage > 2 else 0,
                 "activations": 5e8, "buffers": 0}
        parts["total"] = sum(parts.values())
        network = {"hosts": ["node-1", "node-2", "node-3", "node-4"]}
        points.append({"scenario": {"algorithm": {"name": "zero", "stage": stage}, "workers": 4, "model": "bert"},
                       "environment": {"memory": {"predicted": parts}, "network": network}})
    return {"points": points}


def topology_rows() -> list[dict]:
    """Two racks of two hosts on a bus, which carries the most; nothing goes to the last host."""
    links = [(f"node-{node}_{way}", *ends, 1e9, 0 if node == 4 else 2e8 * node)
             for node in range(1, 5) for way, ends in (("UP", (f"node-{node}", f"switch {(node + 1) // 2}")),
                                                       ("DOWN", (f"switch {(node + 1) // 2}", f"node-{node}")))]
    links += [(f"rack-{rack}", f"switch {rack}", "switch 3", None, 4e8) for rack in (1, 2)]
    links += [("bus", "switch 3", "switch 3", 1e9, 9e8)]
    return [{"point": 3, "link": name, "from": begin, "to": end, "bytes_per_s": "" if most is None else most, "bytes": carried,
             "share": "" if most is None else carried / most} for name, begin, end, most, carried in links]


def traffic_rows() -> list[dict]:
    """Four members of the last point, which send more and more."""
    return [{"point": 3, "rank": rank, "members": 1, "iteration": iteration, "iterations": 1, "begin_s": iteration, "end_s": iteration + 1,
             "sent_bytes": 1e6 * (iteration + 1), "received_bytes": 1e6 * (rank + 1), "sent_packets": 700.0 * (iteration + 1),
             "received_packets": 700.0 * (rank + 1)} for rank in range(4) for iteration in range(5)]


def accuracy_rows() -> list[dict]:
    return [{"point": point, "algorithm": "ring", "model": "mnist_cnn", "batch_size": 8, "workers": workers, "variant": "",
             "iteration": iteration, "time_s": 0.1 * iteration, "images": 8 * workers * iteration, "accuracy": 1 - 1 / (1 + workers * iteration),
             "sent_bytes": 1e6 * workers * iteration} for point, workers in enumerate((2, 4)) for iteration in (10, 20, 40)]


def trace() -> dict:
    """Two ranks of the first point: 60 us, of which one computes half and sends a message the other half."""
    message = {"bytes": 3000, "message": 7}
    spans = [(0, 0, 0, "x", {}), (2, 0, 30, "send", message), (2, 1, 30, "receive", message)]
    return {"traceEvents": [{"ph": "X", "pid": rank + 1, "tid": lane, "name": name, "ts": 100 + begin, "dur": 30,
                             "args": {"point": 0, "rank": rank} | more} for lane, rank, begin, name, more in spans]}


def write(file: Path, columns: list[str], rows: list[dict]) -> None:
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({c: f"{v:.9g}" if isinstance(v, float) else v for c, v in row.items()} for row in rows)


if __name__ == "__main__":
    write(HERE / "summary.csv", SUMMARY_COLUMNS, summary_rows())
    write(HERE / "comparison.csv", COMPARISON_COLUMNS, comparison_rows())
    write(HERE / "staleness.csv", list(staleness_rows()[0]), staleness_rows())
    write(HERE / "topology.csv", list(topology_rows()[0]), topology_rows())
    write(HERE / "traffic.csv", list(traffic_rows()[0]), traffic_rows())
    write(HERE / "accuracy.csv", list(accuracy_rows()[0]), accuracy_rows())
    (HERE / "run.json").write_text(json.dumps(run()) + "\n")
    (HERE / "trace.json").write_text(json.dumps(trace()) + "\n")
