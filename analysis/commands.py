"""What the programs of this folder share: how they read a command line, fail, and write files."""

import argparse
import contextlib
import errno
import os
import sys
import tempfile
from pathlib import Path

from results import ResultError, unfinished

RUN_FAILED, BAD_INPUT = 1, 2
_FULL = (errno.ENOSPC, errno.EDQUOT)  # of a disk, which is nobody's input


class Parser(argparse.ArgumentParser):
    """One line for a mistake, as all of tandem gives it."""

    def error(self, message: str):
        print(f"tandem: error: {self.prog.removeprefix('tandem ')}: {message}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def run(body) -> int:
    """The exit code of body(); what a user can mend is one line on stderr."""
    try:
        body()
        sys.stdout.flush()
    except ResultError as error:
        print(f"tandem: error: {error}", file=sys.stderr)
        return BAD_INPUT
    except UnicodeEncodeError:
        print("tandem: error: a result holds text that is no Unicode", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"tandem: error: {error.filename or 'standard output'}: can't write: {error.strerror or error}", file=sys.stderr)
        if error.filename:
            return RUN_FAILED if error.errno in _FULL else BAD_INPUT
        sys.stdout = None  # which would be written once more at the end
        return RUN_FAILED
    return 0


def warn(message: str) -> None:
    print(f"tandem: warning: {message}", file=sys.stderr)


def warn_of_unfinished(results: list[str]) -> None:
    for result in dict.fromkeys(results):
        if missing := unfinished(result):
            warn(f"{result}: {missing}")


@contextlib.contextmanager
def unchanged(results: list[str]):
    """Raises at its end where a command has written to one of them meanwhile: what was read may be of two results."""
    before = {result: _versions(Path(result)) for result in results}
    yield
    for result, versions in before.items():
        if _versions(Path(result)) != versions:
            raise ResultError(f"{result}: a command wrote to this result while it was read; wait for its end, and try again")


def _versions(result: Path) -> dict[Path, tuple[int, int]]:
    """Of the files that say what a result, or a comparison and its halves, is: they are replaced, and never changed."""
    folder = result if result.is_dir() else result.parent
    parts = [folder, folder / "predicted", folder / "measured", *folder.glob("measured/*")]
    files = [part / name for part in parts for name in ("run.json", "summary.csv", "comparison.csv")]
    return {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files if file.is_file()}


def require_file(file: Path) -> None:
    """Raises where what has that name is nothing that a file could replace, or that somebody means to have a file beside, as /dev/null."""
    if file.is_dir():
        raise ResultError(f"{file}: this is a folder; give a file's name")
    if file.exists() and not file.is_file():
        raise ResultError(f"{file}: this is a device, a pipe or a socket; give a file's name")


def write(file: Path, make) -> None:
    """Writes the whole file, which make(name) does, or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        os.close(handle)
        try:
            make(temporary)
            os.chmod(temporary, 0o644)
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:  # which may be of something that make() reads
        if temporary and error.filename not in (None, temporary, str(file)):
            raise ResultError(f"{error.filename}: {error.strerror or error}") from error
        raise OSError(error.errno, error.strerror or str(error), str(file)) from error
    print(f"wrote {file}")


def write_text(file: Path, text: str) -> None:
    write(file, lambda name: Path(name).write_text(text, encoding="utf-8"))
