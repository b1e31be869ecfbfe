"""A lab of virtual hosts for a bench, and the platform that a calibration between two of them made."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import report

HERE = Path(__file__).resolve().parent
SCENARIO = HERE / "fidelity.yaml"
DEVICE = "paced:k80"
NAME = f"bench{os.getpid()}"


def can_be_made() -> bool:
    return subprocess.run(["bash", HERE.parent / "cli" / "can_make_labs.sh"], check=False).returncode == 0


def take_down() -> None:
    """What there is of this bench's, and of benches that were killed."""
    found = [re.fullmatch(r"tdm-bench(\d+)-\w+", file.name) for file in Path("/run/netns").glob("*")]
    left = {one[1] for one in found if one and not Path("/proc", one[1]).exists()}
    for name in [NAME, *(f"bench{process}" for process in left)]:
        subprocess.run(["tandem", "lab", "down", "--name", name], capture_output=True, check=False)


class Lab:
    """Hosts on wires of these rates, until the next one is made or all are taken down."""

    def __init__(self, hosts: int, rates: list[str]):
        take_down()
        self.rates = rates
        words = [word for rate in rates for word in ("--rate", rate)]
        report.tandem("lab", "up", "--name", NAME, "--hosts", str(hosts), *words)

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, *_: object) -> None:
        take_down()

    def calibrated(self, made: Path, again: bool) -> Path:
        """Its platform; what a calibration in `made` found of one like it is taken as it is, unless `again`."""
        platform = made / "platform.xml"
        if again or not platform.exists():
            print(f"Calibrating between two hosts of {', '.join(self.rates)}", flush=True)
            report.tandem("calibrate", str(SCENARIO), f"--lab={NAME}", "--device", DEVICE, "--out", str(made))
        return platform

    def payload_bytes_per_s(self) -> float | None:
        """What iperf3 carries from one host to the next; nothing where it isn't installed."""
        def enter(host: int, *words: str) -> list[str]:
            return ["tandem-lab", "enter", f"{NAME}-h{host}", *words]

        if shutil.which("iperf3") is None:
            return None
        server = subprocess.Popen(enter(1, "iperf3", "--server", "--one-off"), stdout=subprocess.DEVNULL)
        try:
            for _ in range(20):  # until the server listens
                time.sleep(0.1)
                done = subprocess.run(enter(2, "iperf3", "--client", "10.99.0.1", "--time", "4", "--omit", "1", "--json"),
                                      capture_output=True, text=True, check=False)
                if done.returncode == 0:
                    return json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"] / 8
        finally:
            server.kill()
            server.wait()
        return None
