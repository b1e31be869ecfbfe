#!/usr/bin/env python3
"""Draws a figure from result files: plot.py KIND RESULT... --out FILE [--width single|double]."""

import argparse
import difflib
import os
import sys
import tempfile
from pathlib import Path

from results import ResultError

BAD_INPUT = 2
FORMATS = [".png", ".pdf"]
OTHER_FORMATS = [".svg", ".eps", ".ps", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp"]


class Parser(argparse.ArgumentParser):
    """One line for a mistake, as all of tandem gives it."""

    def error(self, message: str):
        print(f"tandem: error: plot: {message}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def parse_arguments(arguments: list[str], kinds: dict) -> argparse.Namespace:
    listed = "\n".join(f"  {name:16} {kind.__doc__}" for name, kind in kinds.items())
    parser = Parser(
        prog="tandem plot", description="Draws a figure from result files.",
        epilog=f"kinds:\n{listed}", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", metavar="KIND", help="one of those below")
    parser.add_argument("results", nargs="+", metavar="RESULT", help="a result folder or its CSV file")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                        help="a .png or .pdf; without either ending, both")
    parser.add_argument("--width", choices=["single", "double"],
                        help="one column of a page or two; the default is the kind's own")
    options = parser.parse_args(arguments)
    if options.kind not in kinds:
        near = difflib.get_close_matches(options.kind, kinds, n=1)
        meant = f"; did you mean '{near[0]}'?" if near else "."
        parser.error(f"there is no kind '{options.kind}'{meant} Known: {', '.join(kinds)}")
    if not options.out.name or options.out.is_dir():
        parser.error(f"--out {options.out}: this is a folder; give a file's name")
    if options.out.suffix.lower() in OTHER_FORMATS:
        parser.error(f"--out {options.out}: only .png and .pdf are made; without an ending, both")
    return options


def output_files(out: Path) -> list[Path]:
    if out.suffix.lower() in FORMATS:
        return [out]
    return [out.with_name(out.name + suffix) for suffix in FORMATS]


def save(figure, file: Path) -> None:
    """Writes the whole file or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    os.close(handle)
    # The same results give the same bytes.
    stamp = {"CreationDate": None} if file.suffix.lower() == ".pdf" else {}
    try:
        figure.savefig(temporary, format=file.suffix[1:].lower(), metadata=stamp)
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise


def main(arguments: list[str]) -> int:
    from figures import KINDS  # needs matplotlib

    options = parse_arguments(arguments, KINDS)
    kind = KINDS[options.kind]
    try:
        figure = kind.draw(options.results, options.width or kind.DEFAULT_WIDTH)
        figure.draw_without_rendering()  # which ticks fit follows from the layout, and its margins from the ticks
        for file in output_files(options.out):
            save(figure, file)
            print(f"wrote {file}")
    except ResultError as error:
        print(f"tandem: error: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"tandem: error: {error.filename}: can't write: {error.strerror}", file=sys.stderr)
        return BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
