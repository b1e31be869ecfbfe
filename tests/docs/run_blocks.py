#!/usr/bin/env python3
"""run_blocks.py DOCUMENT...: runs every ```sh block of the documents, in order, in a scratch folder.

A block that documents what can't be run in a test says so: ```sh no-test. One that takes a lab says that: ```sh lab; where none can
be made, the whole document is skipped (exit 77), which needs can_make_labs.sh. Those of ```sh gpu compute on the processor where there
is no GPU that CUDA can use, which gpu_there tells. One of ```sh readme is the README's too, and is run with that alone. Commands that
begin with ./dev or git are left out: the first are run by CI itself. A document's blocks share one shell, as a reader's would; a command
that fails ends them. Environment: TANDEM_SOURCE (the repository) and PATH with tandem.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_BLOCK = re.compile(r"^```sh(?P<flags>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_SKIPPED = 77
_LEFT_OUT = ("./dev ", "git ")
_ON_GPU = "--device cuda"


def blocks(text: str, on_gpu: bool, readme: str = "") -> list[str]:
    """The code that is to be run. What takes a GPU computes on the processor unless `on_gpu`; what is said to be the README's has to be."""
    found = [match for match in _BLOCK.finditer(text) if "no-test" not in match["flags"]]
    runnable = []
    for match in found:
        code = "\n".join(line for line in match["code"].splitlines() if not line.startswith(_LEFT_OUT))
        if "readme" in match["flags"].split():
            if code not in blocks(readme, on_gpu):
                raise ValueError(f"a block of ```sh readme that the README hasn't: {code}")
            continue
        if "gpu" in match["flags"].split() and not on_gpu:
            if _ON_GPU not in code:
                raise ValueError(f"a block of ```sh gpu without '{_ON_GPU}'")
            code = code.replace(_ON_GPU, "--device cpu")
        runnable.append(code)
    return [code for code in runnable if code.strip()]


def needs(what: str, text: str) -> bool:
    return any(what in match["flags"].split() for match in _BLOCK.finditer(text))


def can_make_labs() -> bool:
    probe = Path(__file__).parent.parent / "cli" / "can_make_labs.sh"
    return subprocess.run(["bash", probe], check=False).returncode == 0


def has_gpu() -> bool:
    """Not where this build has no CUDA device either."""
    probe = shutil.which("gpu_there")
    return probe is not None and subprocess.run([probe], check=False).returncode == 0


def lay_out(scratch: Path, source: Path) -> None:
    """What a reader's clone holds, without its build folder and results."""
    for name in ("scenarios", "platforms", "analysis", "tests", "dev"):
        (scratch / name).symlink_to(source / name)


def run(document: Path, source: Path) -> int:
    """The exit code of the document's first command that failed, else 0."""
    text = document.read_text(encoding="utf-8")
    on_gpu = needs("gpu", text) and has_gpu()
    code = blocks(text, on_gpu, (source / "README.md").read_text(encoding="utf-8"))
    if not code:
        print(f"{document}: no block to run")
        return 0
    if needs("lab", text) and not can_make_labs():
        print(f"{document}: skipped, for no lab can be made here")
        return _SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder), source)
        script = "set -euo pipefail\nset -x\n" + "\n".join(code)
        environment = os.environ | {"TANDEM_LAB": f"docs{os.getpid()}"}  # a lab of its own, whatever else is up
        done = subprocess.run(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, env=environment,
                              check=False)
        if needs("lab", text) and done.returncode != 0:
            subprocess.run(["tandem", "lab", "down"], env=environment, stderr=subprocess.DEVNULL, check=False)
    print(f"{document}: {len(code)} blocks, exit {done.returncode}")
    return done.returncode


def main(arguments: list[str]) -> int:
    source = Path(os.environ["TANDEM_SOURCE"])
    return max((abs(run(Path(document), source)) for document in arguments), default=2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
