"""Training jobs of tandem and of PyTorch on this machine, which the bench train compares."""

import csv
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ATTEMPTS = 4
PAUSE_S = 20
# Memory that a step frees and the next one takes stays with the process, so that nobody pays for page faults twice.
TUNED = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MALLOC_MMAP_THRESHOLD_": "4294967296",
         "MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_TOP_PAD_": "67108864"}


@dataclass
class Case:
    """A model in one shape, which is what a scenario's `model` has beside its name."""
    model: str
    size: str  # of that shape, in the table
    batch: int
    shape: dict

    def name(self) -> str:
        return f"{self.model} {self.size}"

    def is_of_images(self) -> bool:
        """So that the order of their numbers in memory may differ."""
        return self.shape.get("input", [0, 0, 0])[1] > 1


def of_images(model: str, side: int, batch: int, classes: int) -> Case:
    return Case(model, str(side), batch, {"input": [3, side, side], "classes": classes})


@dataclass
class Job:
    """What a job measured on its slowest rank: the timed iterations, the loss of the first of all, and memory that training
    took beyond what the process had before."""
    seconds: list[float]
    first_loss: float
    peak_bytes: int
    parameters: int | None = None
    version: str = ""


class Machine:
    """Starts jobs of one precision; `under` is a command that each of them is started under. Other programs may have `most_others`
    of a core beside one."""

    def __init__(self, under: str, most_others: float, precision: str):
        self.precision = precision
        self.iterations = 1
        self.warmup = 2
        self.under = shlex.split(under)
        self.most_others = most_others
        self.torch = os.environ.get("TANDEM_TORCH_PYTHON", "python3")

    def torch_version(self) -> str | None:
        """Of the interpreter that TANDEM_TORCH_PYTHON names; nothing where torch does not import."""
        done = subprocess.run([self.torch, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    def limits(self, cases: list[Case]) -> dict:
        """The core's `fma_flops_per_s`, and by the cases' names their `parameters` and `flops` a sample."""
        models = [json.dumps({"name": case.model, **case.shape}) for case in cases]
        done = subprocess.run([*self.under, "training_limits", *models], capture_output=True, text=True, check=True)
        limits = json.loads(done.stdout)
        return {"fma_flops_per_s": limits["fma_flops_per_s"], **{case.name(): of for case, of in zip(cases, limits["models"])}}

    def tandem(self, case: Case, ranks: int = 1, copies: int = 1) -> list[Job]:
        """Jobs of `ranks` ranks: `copies` of them at a time, each by itself."""
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder, "train.yaml")
            scenario.write_text(json.dumps({
                "name": "train", "model": {"name": case.model, **case.shape},
                "data": "synthetic", "batch_size": case.batch, "optimizer": {"name": "sgd", "learning_rate": 0.01, "momentum": 0.9},
                "algorithm": "none" if ranks == 1 else "ring", "workers": ranks, "iterations": self.iterations,
                "warmup_iterations": self.warmup, "precision": self.precision}), encoding="utf-8")
            outs = [Path(folder, str(i)) for i in range(copies)]
            self._run([["tandem", "run", str(scenario), "--out", str(out)] for out in outs])
            return [self._tandem_job(out) for out in outs]

    def pytorch(self, case: Case, layout: str, ranks: int = 1, copies: int = 1) -> list[Job]:
        with tempfile.TemporaryDirectory() as folder:
            command = [self.torch, str(HERE / "torch_training.py"), case.model, "--shape", json.dumps(case.shape), "--batch", case.batch,
                       "--iterations", self.iterations, "--warmup", self.warmup, "--layout", layout, "--precision", self.precision,
                       "--ranks", ranks, "--rendezvous", str(Path(folder, "meet"))]
            commands = [[*command, "--rank", rank] for _ in range(copies) for rank in range(ranks)]
            lines = [line for output in self._run(commands) for line in output.splitlines() if line.startswith("{")]
        return [Job(**json.loads(line)) for line in lines]

    def _run(self, commands: list[list]) -> list[str]:
        """What the commands print, all at a time; ends the bench where one fails. Tried again, a few times, where other programs
        had much of the machine meanwhile."""
        for _ in range(ATTEMPTS):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([*self.under, sys.executable, str(HERE / "beside.py"), folder, json.dumps([list(map(str, c)) for c in commands])],
                                      env={**os.environ, **TUNED}, check=False)
                if done.returncode != 0:
                    sys.exit(shlex.join(map(str, commands[0])) + "\n" + "".join(file.read_text() for file in sorted(Path(folder).glob("*.error"))))
                outputs = [Path(folder, f"{i}.output").read_text(encoding="utf-8") for i in range(len(commands))]
                others = float(Path(folder, "others").read_text(encoding="ascii"))
            if others < self.most_others:
                break
            print(f"  (others had {100 * others:.0f} % of a core beside {shlex.join(map(str, commands[0][:3]))})", flush=True)
            time.sleep(PAUSE_S)
        return outputs

    def _tandem_job(self, out: Path) -> Job:
        with open(out / "iterations.csv", encoding="utf-8", newline="") as stream:
            iterations = list(csv.DictReader(stream))
        with open(out / "summary.csv", encoding="utf-8", newline="") as stream:
            (summary,) = csv.DictReader(stream)
        with open(out / "run.json", encoding="utf-8") as stream:
            (point,) = json.load(stream)["points"]
        if point["environment"]["factors_of_products"] != self.precision:
            sys.exit(f"this processor multiplies no {self.precision}")
        return Job(seconds=[float(line["iteration_s"]) for line in iterations if line["warmup"] == "0"],
                   first_loss=float(iterations[0]["loss"]), peak_bytes=int(summary["peak_memory_bytes"]))


def images_per_s(jobs: list[Job], case: Case, ranks: int = 1) -> float:
    """Of jobs that ran at a time, together."""
    return sum(ranks * case.batch / statistics.median(job.seconds) for job in jobs)
