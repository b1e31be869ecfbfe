"""Runs commands beside each other and says how much of a core all other programs had meanwhile.

beside.py FOLDER JSON, a list of commands: their output goes to FOLDER/N.output and FOLDER/N.error, the share to FOLDER/others.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path


def busy_s() -> float:
    """Of all processors since the machine began, and what its host took from them."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _idle, _wait, interrupts, soft_interrupts, stolen = map(int, stat.readline().split()[1:9])
    return (user + nice + system + interrupts + soft_interrupts + stolen) / os.sysconf("SC_CLK_TCK")


def own_s() -> float:
    return sum(getattr(resource.getrusage(who), field) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
               for field in ("ru_utime", "ru_stime"))


def main() -> None:
    folder, commands = Path(sys.argv[1]), json.loads(sys.argv[2])
    begin, busy, own = time.monotonic(), busy_s(), own_s()
    jobs = [subprocess.Popen(command, stdout=open(folder / f"{i}.output", "w", encoding="utf-8"),
                             stderr=open(folder / f"{i}.error", "w", encoding="utf-8")) for i, command in enumerate(commands)]
    codes = [job.wait() for job in jobs]
    others = (busy_s() - busy) - (own_s() - own)
    (folder / "others").write_text(str(max(0, others) / (time.monotonic() - begin)), encoding="ascii")
    sys.exit(max(map(abs, codes)))


if __name__ == "__main__":
    main()
