#!/usr/bin/env python3
"""Draws a figure from result files: plot.py KIND RESULT... --out FILE [--width single|double] [--point N]."""

import argparse
import difflib
import sys
from pathlib import Path

import commands
from results import TABLES, ResultError, is_of_result

FORMATS = [".png", ".pdf", ".svg"]
WITHOUT_ENDING = [".png", ".pdf"]
NO_FORMATS = [".eps", ".ps", ".pgf", ".svgz", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".avif", ".bmp", ".raw", ".rgba",
              ".csv", ".json", ".yaml", ".yml", ".txt", ".md", ".tex", ".html"]


def parse_arguments(arguments: list[str], kinds: dict, of_one_point: list[str]) -> argparse.Namespace:
    listed = "\n".join(f"  {name:16} {kind.__doc__}" for name, kind in kinds.items())
    parser = commands.Parser(
        prog="tandem plot", description="Draws a figure from result files.",
        epilog=f"kinds:\n{listed}", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", metavar="KIND", help="one of those below")
    parser.add_argument("results", nargs="+", metavar="RESULT", help="a result folder or its CSV file")
    parser.add_argument("--out", required=True, metavar="FILE",
                        help="a .png, .pdf or .svg; without an ending, the first two; a .csv of what is drawn beside it")
    parser.add_argument("--width", choices=["single", "double"],
                        help="one column of a page or two; the default is the kind's own, or two where one would be longer than a page")
    parser.add_argument("--point", type=int, metavar="N",
                        help=f"this point of a sweep, counted from 1; of {', '.join(of_one_point)}")
    parser.add_argument("--check", metavar="OPTION", help=argparse.SUPPRESS)  # only whether FILE can be drawn, which OPTION gave
    options = parser.parse_args(arguments)
    if options.kind not in kinds:
        near = difflib.get_close_matches(options.kind, kinds, n=1)
        meant = f"; did you mean '{near[0]}'?" if near else "."
        parser.error(f"there is no kind '{options.kind}'{meant} Known: {', '.join(kinds)}")
    if options.point is not None and options.kind not in of_one_point:
        parser.error(f"--point {options.point}: {options.kind} is of all points; one can be taken of {', '.join(of_one_point)}")
    return options


def require_name(out: str, option: str) -> Path:
    """Raises where no figure can have that name, which `option` gave."""
    if out.endswith("/") or not Path(out).name:
        raise ResultError(f"{option} {out}: this is a folder; give a file's name")
    if Path(out).suffix.lower() in NO_FORMATS:
        raise ResultError(f"{option} {out}: a figure is a .png, .pdf or .svg; without an ending, the first two are made")
    return Path(out)


def output_files(out: Path) -> list[Path]:
    if out.suffix.lower() in FORMATS:
        return [out]
    return [out.with_name(out.name + suffix) for suffix in WITHOUT_ENDING]


def save(figure, file: Path) -> None:
    # The same results give the same bytes.
    stamp = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(file.suffix.lower(), {})
    commands.write(file, lambda name: figure.savefig(name, format=file.suffix[1:].lower(), metadata=stamp))


def require_own(table: Path, header: str) -> None:
    """Raises where a file of another kind, such as a result's summary.csv, has the name of the figure's table, or may get it."""
    if table.name in TABLES and not table.exists() and is_of_result(table.parent):
        raise ResultError(f"{table}: a result has a file of this name, and that is a result's folder; give another --out")
    if table.is_file():
        with open(table, encoding="utf-8", errors="replace") as stream:
            if stream.readline().rstrip("\n") != header:
                raise ResultError(f"{table}: this is no table of a figure, and won't be overwritten; give another --out")


def ways_to_shorten(options: argparse.Namespace, height: float) -> list[str]:
    """What makes a figure of that height lower, if anything does."""
    from figures import KINDS, OF_ONE_POINT, draw, grows_with

    kind = KINDS[options.kind]
    is_of_one_point, parts, several = options.kind in OF_ONE_POINT, grows_with(kind), len(options.results) > 1
    ways = []
    if options.width == "single" and draw(kind, options.results, "double", options.point).get_figheight() < height:
        ways.append("--width double")
    if is_of_one_point and options.point is None and parts != "results":
        ways.append("one point by --point")
    elif several and (is_of_one_point or parts == "points"):
        ways.append("fewer results")
    elif not is_of_one_point:
        ways.append(f"a result of fewer {parts}")
    return ways


def plot(options: argparse.Namespace) -> None:
    import drawn
    import style
    from figures import KINDS, draw

    out = require_name(options.out, options.check or "--out")
    files = output_files(out)
    table = files[0].with_suffix(".csv")
    for file in (out, *files, table):
        commands.require_file(file)
    if options.check:
        for result in map(Path, options.results):  # which may not be there yet
            if out.resolve() == result.resolve() or (table.resolve().parent == result.resolve() and table.name in TABLES):
                raise ResultError(f"{options.check} {out}: the result has a file or folder of this name; give another")
        return require_own(table, ",".join(drawn.HEADER))
    with commands.unchanged(options.results), style.missing_letters() as missing:
        figure = draw(KINDS[options.kind], options.results, options.width, options.point)
        figure.draw_without_rendering()  # which ticks fit follows from the layout, and its margins from the ticks
        is_beyond_page = figure.get_figheight() > style.PAGE
        ways = ways_to_shorten(options, figure.get_figheight()) if is_beyond_page else []  # of the results as they are drawn
    require_own(table, ",".join(drawn.HEADER))
    with style.missing_letters():  # the same
        for file in files:
            save(figure, file)
    commands.write_text(table, drawn.table(figure))
    for line in style.cautions(figure):
        commands.warn(line)
    if missing:
        commands.warn(f"no font that is installed has the letters {' '.join(sorted(missing))}, which are boxes in the figure; "
                      "install one, such as Debian's fonts-noto-cjk")
    if is_beyond_page:
        commands.warn(f"this figure is {figure.get_figheight():.0f} inches high, more than a page{'; take ' if ways else ''}{', or '.join(ways)}")
    commands.warn_of_unfinished(options.results)


def main(arguments: list[str]) -> int:
    from figures import KINDS, OF_ONE_POINT  # these need matplotlib

    options = parse_arguments(arguments, KINDS, OF_ONE_POINT)
    return commands.run(lambda: plot(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
