"""A lab of virtual hosts for a bench, and the platform that a calibration between two of them made."""

import os
import subprocess
from pathlib import Path

import report

HERE = Path(__file__).resolve().parent
SCENARIO = HERE / "fidelity.yaml"
DEVICE = "paced:k80"
NAME = f"bench{os.getpid()}"


def can_be_made() -> bool:
    return subprocess.run(["bash", HERE.parent / "cli" / "can_make_labs.sh"], check=False).returncode == 0


def take_down() -> None:
    subprocess.run(["tandem", "lab", "down", "--name", NAME], capture_output=True, check=False)


class Lab:
    """Hosts on wires of these rates; what a calibration in `made` found of them is taken as it is, unless `again`."""

    def __init__(self, hosts: int, rates: list[str], made: Path, again: bool):
        take_down()
        words = [word for rate in rates for word in ("--rate", rate)]
        report.tandem("lab", "up", "--name", NAME, "--hosts", str(hosts), *words)
        self.platform = made / "platform.xml"
        if again or not self.platform.exists():
            print(f"Calibrating between two hosts of {', '.join(rates)}", flush=True)
            report.tandem("calibrate", str(SCENARIO), f"--lab={NAME}", "--device", DEVICE, "--out", str(made))
