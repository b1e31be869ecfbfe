#!/usr/bin/env python3
"""run_blocks.py DOCUMENT...: runs every ```sh block of the documents, in order, in a scratch folder.

A block that documents what can't be run in a test says so: ```sh no-test. Commands that begin with ./dev or git are left
out: the first are run by CI itself. A document's blocks share one shell, as a reader's would; a command that fails ends
them. Environment: TANDEM_SOURCE (the repository) and PATH with tandem.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_BLOCK = re.compile(r"^```sh(?P<flags>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_LEFT_OUT = ("./dev ", "git ")


def blocks(text: str) -> list[str]:
    """The code that is to be run."""
    found = [match for match in _BLOCK.finditer(text) if "no-test" not in match["flags"]]
    runnable = ("\n".join(line for line in match["code"].splitlines() if not line.startswith(_LEFT_OUT))
                for match in found)
    return [code for code in runnable if code.strip()]


def lay_out(scratch: Path, source: Path) -> None:
    """What a reader's clone holds, without its build folder and results."""
    for name in ("scenarios", "platforms", "analysis", "dev"):
        (scratch / name).symlink_to(source / name)


def run(document: Path, source: Path) -> int:
    """The exit code of the document's first command that failed, else 0."""
    code = blocks(document.read_text(encoding="utf-8"))
    if not code:
        print(f"{document}: no block to run")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder), source)
        script = "set -euo pipefail\nset -x\n" + "\n".join(code)
        done = subprocess.run(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, check=False)
    print(f"{document}: {len(code)} blocks, exit {done.returncode}")
    return done.returncode


def main(arguments: list[str]) -> int:
    source = Path(os.environ["TANDEM_SOURCE"])
    return max((abs(run(Path(document), source)) for document in arguments), default=2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
