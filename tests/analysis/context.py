"""Puts analysis/ on the path and says where the sample results are; imported first by every test here."""

import contextlib
import fcntl
import io
import os
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


@contextlib.contextmanager
def worked_on(folder: Path, others: bool = False):
    """Meanwhile a command works on the result there, alone or beside `others`; see core/command/folder_claim.h."""
    work = folder / ".tandem-work-aBcDeF"
    work.mkdir(parents=True)
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH if others else fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)
        work.rmdir()


def keep_points(folder: Path) -> None:
    """As an unfinished sweep does that wrote tables of what it has; see core/command/kept_points.h."""
    (folder / "points").mkdir(parents=True)
    (folder / "points" / "own_tables").touch()


def edited(source: Path, target: Path, *changes: tuple[str, str]) -> Path:
    """Copies a result file with pieces of its text replaced, each of which must be there."""
    text = source.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    target.write_text(text, encoding="utf-8")
    return target
