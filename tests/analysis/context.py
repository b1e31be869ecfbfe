"""Puts analysis/ on the path and says where the sample results are; imported first by every test here."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ANALYSIS = HERE.parents[1] / "analysis"
DATA = HERE / "data"
SUMMARY = DATA / "summary.csv"

sys.path.insert(0, str(ANALYSIS))


def run_here(main, *arguments: str) -> subprocess.CompletedProcess:
    """What a program's main() says and returns. In this process, since another has to load matplotlib first."""
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exited:
            code = exited.code
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), error.getvalue())


def edited(source: Path, target: Path, *changes: tuple[str, str]) -> Path:
    """Copies a result file with pieces of its text replaced, each of which must be there."""
    text = source.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    target.write_text(text, encoding="utf-8")
    return target
