"""Puts analysis/ on the path and says where the sample results are; imported first by every test here."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ANALYSIS = HERE.parents[1] / "analysis"
DATA = HERE / "data"
SUMMARY = DATA / "summary.csv"

sys.path.insert(0, str(ANALYSIS))


def edited(source: Path, target: Path, *changes: tuple[str, str]) -> Path:
    """Copies a result file with pieces of its text replaced, each of which must be there."""
    text = source.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    target.write_text(text, encoding="utf-8")
    return target
