#!/usr/bin/env python3
"""Pictures of every kind of figure, each with a reference that its picture and its words are compared with.

pictures.py [NAME...] makes the references again, all of them or those of these names: look at each before you commit it.
"""

import os
import re
import shutil
import sys
import tempfile
from html import unescape
from pathlib import Path

from context import DATA, HERE, run_here
import matplotlib
import numpy
import plot
import style  # noqa: F401  (whose settings come first, those below after them)
from PIL import Image

REFERENCE = HERE / "reference"
RESULTS = REFERENCE / "results"  # which reference/generate.py writes
# Of each picture its kind, its result, its width and, of some, the point.
PICTURES = {
    "accuracy": ("accuracy", RESULTS / "accuracy", "double"),
    "accuracy_traffic": ("accuracy_traffic", RESULTS / "pairwise", "single"),
    "breakdown": ("breakdown", RESULTS / "sweep", "single"),
    "breakdown_double": ("breakdown", RESULTS / "sweep", "double"),
    "breakdown_of_members": ("breakdown", RESULTS / "job", "single", 2),
    "calibration": ("calibration", RESULTS / "calibration", "single"),
    "communication": ("communication", RESULTS / "job", "single"),
    "communication_double": ("communication", RESULTS / "job", "double"),
    "compare": ("compare", DATA, "single"),
    "efficiency": ("efficiency", RESULTS / "factors", "single"),
    "memory": ("memory", DATA, "single"),
    "scaling": ("scaling", RESULTS / "factors", "single"),
    "speedup": ("speedup", RESULTS / "sweep", "single"),
    "speedup_double": ("speedup", DATA, "double"),  # with its legend in a free cell
    "staleness": ("staleness", DATA, "single"),
    "timeline": ("timeline", RESULTS / "job", "single"),
    "topology": ("topology", DATA, "single"),
    "traffic": ("traffic", RESULTS / "job", "single"),
    "utilisation": ("utilisation", RESULTS / "job", "single"),
    "volume": ("volume", RESULTS / "factors", "single"),
}
# Text without hinting, of which every version of FreeType has its own idea; a resolution that keeps the references small.
SETTINGS = {"savefig.dpi": 100, "text.hinting": "none", "font.family": "DejaVu Sans"}
COLOURS = 256  # of a reference

# Of difference(). Keeping a reference in 256 colours makes up to 2.0; another version of matplotlib (3.6.3 and 3.10.1) or FreeType
# (2.12.1, 2.13.2 and 2.13.3) adds nothing. The least of what pictures_can_fail_test.py changes, a thin dotted line that misses, makes 13.
LIMIT = 8.0
_WINDOW = 5  # pixels; a thin line or a glyph fills a fifth of it


def make(name: str, folder: Path) -> Path:
    """Has `tandem plot` draw the picture, and writes NAME.png and NAME.txt, its words and its table, into the folder."""
    kind, result, width, *point = PICTURES[name]
    with matplotlib.rc_context(SETTINGS):
        for ending in (".svg", ".png"):
            done = run_here(plot.main, kind, result, "--out", folder / f"{name}{ending}", "--width", width,
                            *(["--point", str(point[0])] if point else []))
            assert done.returncode == 0, done.stderr
    texts = re.findall("<!-- (.*?) -->", (folder / f"{name}.svg").read_text(encoding="utf-8"), re.DOTALL)
    table = (folder / f"{name}.csv").read_text(encoding="utf-8")
    words = "\n".join(sorted(map(unescape, texts)))
    (folder / f"{name}.txt").write_text(f"{words}\n\n{table}", encoding="utf-8")
    return folder / f"{name}.png"


def read(file: Path) -> numpy.ndarray:
    """Rows of pixels, red, green and blue from 0 to 255."""
    with Image.open(file) as image:
        return numpy.asarray(image.convert("RGB"), float)


def problem(name: str, made: Path, kept: Path) -> str:
    """How a picture that make() wrote differs from its reference: what is empty, where it doesn't, else left in the folder `kept`."""
    reference = REFERENCE / f"{name}.png"
    expected, actual = read(reference), read(made)
    found = difference(expected, actual)
    if found is not None and found.max() <= LIMIT:
        return ""
    kept.mkdir(parents=True, exist_ok=True)
    left, where = kept / f"{name}.png", kept / f"{name}_difference.png"
    shutil.copy(made, left)
    if found is None:
        return f"{left} is {actual.shape[1]} x {actual.shape[0]} pixels, {reference} {expected.shape[1]} x {expected.shape[0]}"
    _write_difference(expected, found, where)
    return f"{left} differs from {reference} by {found.max():.1f}, more than {LIMIT:g}; {where} shows where"


def difference(reference: numpy.ndarray, actual: numpy.ndarray) -> numpy.ndarray | None:
    """Of every pixel how far the pictures differ around it, in levels of 255; None where they have not the same size.

    A pixel may have any level between the least and the most that the other picture has there and next to it: a shift by a pixel
    or less, and the edges of glyphs and lines that are drawn with other weights, are no difference. What is beyond, in either
    direction, counts in the mean over a window, so that it takes more than a few pixels.
    """
    if reference.shape != actual.shape:
        return None
    beyond = numpy.maximum(_beyond(reference, actual), _beyond(actual, reference)).max(axis=2)
    return sum(_shifted(beyond, _WINDOW // 2)) / _WINDOW ** 2


def _beyond(one: numpy.ndarray, other: numpy.ndarray) -> numpy.ndarray:
    near = list(_shifted(one, 1))
    return numpy.maximum(0, numpy.maximum(other - numpy.max(near, axis=0), numpy.min(near, axis=0) - other))


def _shifted(picture: numpy.ndarray, by: int):
    """By up to so many pixels in both directions; what comes in is what is on the edge."""
    height, width = picture.shape[:2]
    wide = numpy.pad(picture, [(by, by), (by, by)] + [(0, 0)] * (picture.ndim - 2), mode="edge")
    return (wide[down:down + height, right:right + width] for down in range(2 * by + 1) for right in range(2 * by + 1))


def _write_difference(reference: numpy.ndarray, found: numpy.ndarray, file: Path) -> None:
    """The reference in pale grey, and the redder the more there differs; full red is four times the limit."""
    pale = numpy.repeat(0.25 * reference.mean(axis=2, keepdims=True) + 191, 3, axis=2)
    much = numpy.clip(found / (4 * LIMIT), 0, 1)[:, :, None]
    Image.fromarray((pale * (1 - much) + numpy.array([220, 0, 0]) * much).astype("uint8")).save(file)


def remake(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in names or PICTURES:
            with Image.open(make(name, Path(folder))) as image:
                few = image.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            few.save(REFERENCE / f"{name}.png", optimize=True)
            lost = difference(read(REFERENCE / f"{name}.png"), read(Path(folder) / f"{name}.png")).max()
            assert lost < LIMIT / 2, f"{name}: {COLOURS} colours are too few: that alone makes {lost:.1f}"
            os.replace(Path(folder) / f"{name}.txt", REFERENCE / f"{name}.txt")
            print(f"wrote {REFERENCE / name}.png and .txt")


if __name__ == "__main__":
    remake(sys.argv[1:])
