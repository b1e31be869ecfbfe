#!/usr/bin/env python3
"""Writes results as one HTML file that needs nothing else: report.py RESULT... [--out FILE] [--explain-by TANDEM] [--point N]."""

import argparse
import base64
import hashlib
import subprocess
import sys
from pathlib import Path

import commands
from results import ResultError

PAGE = Path(__file__).resolve().parent / "page"
GENERATOR = "tandem report"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = commands.Parser(prog="tandem report", description="Writes results as one HTML file that needs nothing else.")
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT", help="a result folder")
    parser.add_argument("--out", type=Path, metavar="FILE", help="an .html file (default: report.html in the first RESULT)")
    parser.add_argument("--explain-by", metavar="TANDEM", help="the program whose explain says what bounds a result")
    parser.add_argument("--point", type=int, metavar="N", help="this point of each result is explained and shown, counted from 1 (default: up to 6 are explained, and the last is shown)")
    options = parser.parse_args(arguments)
    if options.out is None:
        options.out = options.results[0] / "report.html"
    if options.out.suffix.lower() not in (".html", ".htm"):
        parser.error(f"--out {options.out}: a report is an .html file")
    return options


def require_own(file: Path) -> None:
    """Raises where something else than a report has that name."""
    commands.require_file(file)
    if file.is_file():
        with open(file, encoding="utf-8", errors="replace") as stream:
            if f'content="{GENERATOR}"' not in stream.read(1000):
                raise ResultError(f"{file}: this is no report, and won't be overwritten; give another --out")


def explanation(tandem: str, result: str, point: int) -> str:
    """What `tandem explain` says of a point, counted from 1, or why it says nothing."""
    done = subprocess.run([tandem, "explain", "--point", str(point), "--", result], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False)
    if done.returncode not in (0, commands.BAD_INPUT):
        raise ResultError(f"{result}: tandem explain ended with code {done.returncode}: {done.stderr.strip()[-200:]}")
    if done.returncode:
        return f"tandem explain can't say: {done.stderr.strip().removeprefix('tandem: error: ')}"
    lines = done.stdout.splitlines()
    begin = next((at for at, line in enumerate(lines) if line.startswith("Bottleneck: ")), 1)
    return "\n".join(lines[max(0, begin - 1):])  # what is above says how its simulations went on


def page(folders: list[Path], tandem: str | None, point: int | None) -> str:
    import runs
    from page.markup import NOTHING, Markup, element, together
    from page.sections import Explanations, Sections, read_result

    results = [read_result(folder) for folder in dict.fromkeys(folders)]
    for one in (one for result in results for one in result.all() if point is not None and one.has("run.json")):
        runs.require_point(point, runs.read_points(str(one.folder)), str(one.folder))
    is_one = len(results) == 1
    names = ", ".join(dict.fromkeys(result.name() for result in results))
    titles = [str(result.folder) if is_one else f"{result.name()}: {result.folder}" for result in results]
    sections = Sections(Explanations(lambda folder, number: explanation(tandem, folder, number), point) if tandem else None, point)
    common = NOTHING if is_one else sections.of_all(results)
    bodies = [sections.of(result, title, id=f"result-{number}")
              for number, (result, title) in enumerate(zip(results, titles), start=1)]
    links = [element("li", element("a", title, href=f"#result-{number}")) for number, title in enumerate(titles, start=1)]
    contents = NOTHING if is_one else element("nav", element("ul", *links), aria_label="Results")
    style = (PAGE / "page.css").read_text(encoding="utf-8")
    script = (PAGE / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # The page loads nothing, and runs no script but its own.
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = element("head", element("meta", charset="utf-8"), element("meta", name="generator", content=GENERATOR),
                   element("meta", http_equiv="Content-Security-Policy", content=policy),
                   element("meta", name="viewport", content="width=device-width, initial-scale=1"),
                   element("link", rel="icon", href="data:,"), element("title", f"{names} - tandem report"),
                   element("style", Markup(style)))
    body = element("body", element("header", element("h1", names), contents), element("main", common, *bodies),
                   element("footer", "Written by tandem report."), element("script", Markup(script)))
    return together(Markup("<!DOCTYPE html>\n"), element("html", head, body, lang="en"), "\n")


def report(options: argparse.Namespace) -> None:
    require_own(options.out)
    with commands.unchanged([str(folder) for folder in options.results]):
        text = page(options.results, options.explain_by, options.point)
    commands.write_text(options.out, text)
    commands.warn_of_unfinished([str(folder) for folder in options.results])


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    return commands.run(lambda: report(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
