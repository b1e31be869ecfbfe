"""MPI jobs of all_reduce_ranks, which the benches allreduce and overhead read: on this machine through shared memory or loopback
TCP, and on the virtual hosts of a lab."""

import itertools
import json
import statistics
import subprocess
import sys
import tempfile

KIB, MIB = 1 << 10, 1 << 20
# Open MPI's `tuned` component decides by itself, and obeys where this is set. Memory that a call frees and the next one takes
# stays with the process, so that peers pay for no page faults.
TUNED = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "MALLOC_MMAP_THRESHOLD_": "4294967296",
         "MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_TOP_PAD_": "268435456"}
# Ways to set up Open MPI itself: each peer counts as it is in the best of them.
SINGLE_COPY = {"single copy": {"OMPI_MCA_btl_vader_single_copy_mechanism": "cma"},
               "two copies": {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}}
TCP_FLAGS = {"in fragments": {},
             "library's own": {"OMPI_MCA_btl_tcp_flags": "send,put,inplace,need-ack,need-csum,hetero-rdma",
                               "OMPI_MCA_btl_tcp_rndv_eager_limit": "65536"}}
# A lab has none of a waiting library's ranks give its core away, since ours do by themselves.
IN_LAB = {f"{flags}{how}": {**settings, **more} for flags, settings in TCP_FLAGS.items()
          for how, more in (("", {}), (", yielding", {"OMPI_MCA_mpi_yield_when_idle": "1"}))}
TRANSPORTS = {"shared memory": (["--mca", "btl", "vader,self"], SINGLE_COPY),
              "loopback TCP": (["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"], TCP_FLAGS)}


def _run(launch: list[str], settings: dict[str, str], arguments: list[str]) -> list[dict]:
    """Lines of one job."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*launch, "env", *[f"{name}={value}" for name, value in {**TUNED, **settings}.items()], "all_reduce_ranks",
                   *arguments, "--gloo-folder", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _medians(jobs: list[list[dict]]) -> list[dict]:
    """A line for each size and contender: how ranks lie on the processors differs from job to job by more than looks within one do."""
    lines: dict[tuple[int, str], list[dict]] = {}
    for line in itertools.chain(*jobs):
        lines.setdefault((line["bytes"], line["contender"]), []).append(line)
    return [{"bytes": size, "contender": contender, "seconds": statistics.median(line["seconds"] for line in each),
             "jobs": [{key: line[key] for key in ("seconds", "looks", "dropped")} for line in each]}
            for (size, contender), each in lines.items()]


def _in_turns(launch: list[str], ways: dict[str, dict[str, str]], arguments: list[str], job_count: int) -> dict[str, list[dict]]:
    jobs: dict[str, list[list[dict]]] = {way: [] for way in ways}
    for _ in range(job_count):
        for way, settings in ways.items():
            jobs[way].append(_run(launch, settings, arguments))
    return {way: _medians(each) for way, each in jobs.items()}


def local(transport: str, ranks: int, arguments: list[str], job_count: int, most_ways: int = 2) -> dict[str, list[dict]]:
    """Lines of jobs on this machine, for each way to set up Open MPI, or the first ones: the medians of so many of each, in turns."""
    options, ways = TRANSPORTS[transport]
    launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *options]
    return _in_turns(launch, dict(list(ways.items())[:most_ways]), [*arguments, "--gloo-host", "127.0.0.1"], job_count)


def in_lab(lab: str, ranks: int, arguments: list[str], job_count: int) -> dict[str, list[dict]]:
    """The same on the first hosts of a lab."""
    return _in_turns(["tandem-lab", "launch", "--name", lab, "-n", str(ranks)], IN_LAB, arguments, job_count)


def size_text(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def time_text(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
