"""Reads result files and checks what it reads; docs/results.md states their contract."""

import contextlib
import csv
import dataclasses
import fcntl
import functools
import json
import math
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import names

MOST = 1e100  # of any figure of a result; what is beyond it, added up or drawn, would be beyond all numbers
TABLES = ["summary.csv", "accuracy.csv", "iterations.csv", "staleness.csv", "lost.csv", "links.csv", "topology.csv", "traffic.csv",
          "comparison.csv", "members.csv"]  # that a result may have; core/record/result_folder.cc and core/command/compare.cc write them
# Columns of what is measured or counted, with any ending _low or _high; what faults take by cause, as lost.csv has it, may be less than nothing.
_NEVER_BELOW_0 = re.compile(r"(iteration_s|compute_s|exposed_communication_s|all_reduce_bound_s|total_s|images_per_s|speedup|efficiency|accuracy|"
                            r"packets_\w+|\w+_packets|(\w+_)?bytes(_per_\w+)?|time_s|images|iterations?|staleness|updates|skipped_steps|point|share)(_low|_high)?")
_NEVER_ABOVE_1 = {"accuracy"}
_OF_FAULTS = "cause"
_OWN_TABLES = "own_tables"  # beside kept points where the tables are of them; core/command/kept_points.cc
FORMAT = 1  # the newest that is known here of run.json's formats; core/record/result_folder.h says when it goes up


class ResultError(Exception):
    """A result file that can't be drawn. The message is one line that names the file and the column."""


class MissingFile(ResultError):
    """A result that doesn't hold the file which is asked for."""


class BrokenFile(ResultError):
    """A table that was cut or changed, such as tandem writes none."""


@dataclass(frozen=True)
class Row:
    """One line of a result file."""

    file: Path
    line: int
    cells: dict[str, str]
    folder: str = ""  # its result's name among those that it was read with

    def text(self, column: str) -> str:
        if not self.cells[column]:
            raise self.error(column, "is empty")
        return self.cells[column]

    def number(self, column: str) -> float | None:
        """None where the cell is empty: the run did not measure it."""
        cell = self.cells[column]
        if not cell:
            return None
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise BrokenFile(str(self.error(column, f"'{cell}' is not a number")))
        if abs(number) > MOST:
            raise BrokenFile(str(self.error(column, f"{number:g} is more than anything that is measured")))
        if number < 0 and _NEVER_BELOW_0.fullmatch(column) and _OF_FAULTS not in self.cells:
            raise BrokenFile(str(self.error(column, f"is {number:g}, but can't be below 0")))
        if number > 1 and column in _NEVER_ABOVE_1:
            raise BrokenFile(str(self.error(column, f"is {number:g}, but can't be above 1")))
        return number

    def known_number(self, column: str) -> float:
        """Of a column that every row has a number in."""
        number = self.number(column)
        if number is None:
            raise self.error(column, "is empty")
        return number

    def count(self, column: str) -> int:
        cell = self.text(column)
        if not cell.isascii() or not cell.isdigit() or not cell.strip("0"):
            raise self.error(column, f"'{cell}' is not a whole number above 0")
        if len(cell) > 10 or int(cell) >= 2**31:
            raise self.error(column, f"is {names.shortened(cell)}, which is more than any result has")
        return int(cell)

    def error(self, column: str, problem: str) -> ResultError:
        return ResultError(f"{self.file}:{self.line}: column '{column}' {problem}")


def read_rows(results: list[str], name: str, columns: list[str]) -> list[Row]:
    """The rows of all `results`, each a CSV file or a result folder that holds `name`."""
    return [dataclasses.replace(row, folder=folder) for result, folder in zip(results, names.apart(results))
            for row in _read_file(locate(Path(result), name), columns)]


def point_number(row: Row, count: int | None, file: str) -> int:
    """Of a table with a column `point`, counted from 0 among the `count` points that this file of its result has; None: unknown."""
    number = row.number("point")
    if number is None or number < 0 or not number.is_integer() or (count is not None and number >= count):
        known = "points are counted from 0" if count is None else f"{file} has {names.counted(count, 'points')}, counted from 0"
        raise BrokenFile(str(row.error("point", f"is {row.cells['point']}, but {known}")))
    return int(number)


def is_of_result(folder: Path) -> bool:
    """Whether a command has written a result there, is about to, or goes on with one."""
    return any((folder / name).exists() for name in ("run.json", "predicted", "points")) or any(work.is_dir() for work in folder.glob(".tandem-*"))


GOES_ON = "a command still works on this result; once it is done, this can be read"


def goes_on(result: Path) -> bool:
    """Whether a command is about to write to a result, or to the comparison that it is a part of."""
    folder = result.parent if not result.is_dir() and result.suffix in (".csv", ".json") else result
    return any(map(_is_claimed, [folder, *_comparisons_around(folder)]))


def _comparisons_around(folder: Path) -> list[Path]:
    """Of a result in predicted/, measured/ or measured/1, where a comparison would be."""
    whole = folder.resolve()
    if whole.name in ("predicted", "measured"):
        return [whole.parent]
    return [whole.parent.parent] if whole.parent.name == "measured" else []


def _is_claimed(folder: Path) -> bool:
    """As core/command/folder_claim.cc has it: a command locks the folder itself as long as it works there, and others may for purposes of their own."""
    if not folder.is_dir() or not any(folder.glob(".tandem-*")):
        return False
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        for _ in range(2):
            if not _is_locked(handle):
                return False
            time.sleep(0.01)  # another that looks holds it for a moment
        return _is_locked(handle)
    finally:
        os.close(handle)


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until the handle is closed
    except BlockingIOError:
        return True
    except OSError:  # where folders can't be locked, as on some network file systems
        return False
    return False


def is_older(folder: Path) -> bool:
    """Whether a result is whole, but older than a sweep that was begun in its folder since and isn't finished."""
    return (folder / "summary.csv").is_file() and (folder / "points").is_dir() and not (folder / "points" / _OWN_TABLES).is_file()


def unfinished(result: str) -> str:
    """What is missing of a result whose command was ended before it was done, or goes on; empty of others."""
    folder = Path(result) if Path(result).is_dir() else Path(result).parent
    more = "; a command still works on it" if goes_on(folder) else ""
    for whole in [folder, *_comparisons_around(folder)]:
        if (whole / "predicted" / "summary.csv").is_file() and not (whole / "comparison.csv").is_file():
            return f"unfinished comparison: not all is predicted and measured{more}"
    if (folder / "points").is_dir():
        if is_older(folder):
            return f"older result: a sweep was begun here since, and is not finished{more}"
        shown = len(read_rows([str(folder)], "summary.csv", ["workers"])) if (folder / "summary.csv").is_file() else 0
        return f"unfinished sweep: {names.counted(shown, 'points')} so far, others are missing{more}"
    return ""


def locate(result: Path, name: str) -> Path:
    """The file that a result, a folder that holds `name` or such a file, is."""
    file = result / name if result.is_dir() else result
    if not file.is_file() and (result / "comparison.csv").is_file():
        raise MissingFile(f"{file}: no such file; a comparison holds two results: take {result}/predicted or {result}/measured")
    if not file.is_file() and goes_on(result):
        raise MissingFile(f"{file}: no such file yet: {GOES_ON}")
    if not file.is_file() and (result / "points").is_dir() and not (result / "summary.csv").is_file():
        raise MissingFile(f"{file}: no such file yet: the sweep was ended before its tables were written; the same command goes on with it")
    if not file.is_file():
        raise MissingFile(f"{file}: no such file; a result is a folder that holds {name}, or such a file")
    require_known_format(file.parent)
    return file


def require_known_format(folder: Path) -> None:
    """Raises where a result, or one of a comparison's, is of a format that is newer than FORMAT; one without a format is older than formats are."""
    for run in (folder / part / "run.json" for part in ("", "predicted", "measured", "measured/1")):
        if run.is_file():
            found = _format(run, run.stat().st_mtime_ns)
            if not isinstance(found, int) or isinstance(found, bool) or found < 0:
                raise ResultError(f"{run}: format is {json.dumps(found)}, but has to be a whole number")
            if found > FORMAT:
                raise ResultError(f"{run}: this result has format {found}, but this tandem reads none newer than {FORMAT}; "
                                  "take a newer tandem, or make the result again")


@functools.lru_cache(maxsize=64)
def _format(run: Path, _changed: int) -> object:
    """That of a broken file is none: whoever reads it will tell."""
    try:
        read = read_json_file(run)
    except ResultError:
        return 0
    return read.get("format", 0) if isinstance(read, dict) else 0


@contextlib.contextmanager
def _reading(file: Path, kind: str, broken: type[ResultError]):
    """Says why a file can't be read as text, of which `broken` where it is none."""
    try:
        yield
    except OSError as error:
        raise ResultError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise broken(f"{file}: not {kind}: it holds bytes that are no UTF-8") from None


_DEEPEST = 64  # levels: none of ours nests nearly as deep, and what walks a value calls itself for each


def read_json_file(file: Path) -> object:
    """Raises where a file holds no JSON, or such as core/base/json_text.h refuses too."""
    with _reading(file, "JSON", ResultError):
        text = file.read_text(encoding="utf-8")
    try:
        value = json.loads(text, parse_float=_number, parse_int=_whole_number, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ResultError(f"{file}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except ValueError:
        raise ResultError(f"{file}: not JSON: it holds a number that none of a result is") from None
    except RecursionError:
        raise _too_deep(file) from None
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(_DEEPEST):
        level = [part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole) if isinstance(part, (dict, list))]
    if level:
        raise _too_deep(file)
    if _HALF_OF_A_PAIR.search(text) and not _is_unicode(value):
        raise ResultError(f"{file}: not JSON: it holds text that is no Unicode")
    return value


# An escape in JSON of a half of what UTF-16 has as two, as in "\ud83d\ude80".
_HALF_OF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def _is_unicode(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError
    return number


def _whole_number(text: str) -> int:
    if len(text) > sys.float_info.max_10_exp:
        _number(text)
    return int(text)


def _refuse_constant(_name: str):
    """Of NaN and Infinity, which JSON hasn't."""
    raise ValueError


def _too_deep(file: Path) -> ResultError:
    return ResultError(f"{file}: is nested too deeply; nothing that tandem writes is: make the result again")


def _read_file(file: Path, columns: list[str]) -> list[Row]:
    try:
        with _reading(file, "a CSV file", BrokenFile), open(file, encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            header = reader.fieldnames or []
            if not header:
                raise BrokenFile(f"{file}: is empty")
            missing = [column for column in columns if column not in header]
            if missing:
                raise ResultError(f"{file}:1: column '{missing[0]}' is missing")
            rows = [Row(file, reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise BrokenFile(f"{file}: not a CSV file: {error}") from None
    for row in rows:
        _check_width(row, columns)
    if not rows:
        raise ResultError(f"{file}: column '{columns[0]}' has no rows")
    return rows


def _check_width(row: Row, columns: list[str]) -> None:
    if None in row.cells:
        raise BrokenFile(f"{row.file}:{row.line}: more cells than columns; the last is '{columns[-1]}'")
    for column, cell in row.cells.items():
        if cell is None:
            raise BrokenFile(str(row.error(column, "is missing from this line")))
