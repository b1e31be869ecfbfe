"""The report in a browser: it fits a narrow and a wide window, asks for nothing, complains of nothing, and sorts by keyboard."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser
from context import ANALYSIS, DATA

_SKIPPED = 77
_LONG = "a_name_that_is_long_enough_for_any_window_" * 4


def write_result(folder: Path) -> None:
    """Of every kind of file, with names longer than a window is wide."""
    folder.mkdir()
    for file in DATA.glob("*.csv"):
        (folder / file.name).write_text(file.read_text().replace("resnet152", _LONG))
    header, *rows = (folder / "summary.csv").read_text().splitlines()
    (folder / "summary.csv").write_text("\n".join([header, *(row for row in rows if ",alexnet," in row or _LONG in row)]))
    for file in ("calibration.yaml", "trace.json"):
        (folder / file).write_text((DATA / file).read_text())
    run = json.loads((DATA / "run.json").read_text())
    run |= {"command": _LONG, "host": "<script>console.log('hostile')</script>"}
    run["points"][0]["scenario"] |= {"name": _LONG, _LONG: _LONG}
    run["points"][0]["environment"] |= {"device_profiles": {"k80": f"# {_LONG}"}, "hosts": [_LONG] * 3}
    (folder / "run.json").write_text(json.dumps(run))


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        results = [Path(folder.name) / name for name in ("one", "other")]
        for result in results:
            write_result(result)
        cls.page = Path(folder.name) / "report.html"
        cls.explanation = Path(folder.name) / "tandem"
        cls.explanation.write_text(f"#!/bin/sh\necho; echo Bottleneck: {_LONG}\n")
        cls.explanation.chmod(0o755)
        subprocess.run([sys.executable, "-B", ANALYSIS / "report.py", *results, "--out", cls.page, "--explain-by",
                        cls.explanation], check=True)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, width: int) -> None:
        self.browser.open(self.page, width)
        self.browser.value("for (const one of document.querySelectorAll('details')) one.open = true")

    def test_nothing_is_asked_for_or_complained_of_at_any_width(self):
        for width in (320, 400, 800, 1400):
            with self.subTest(width=width):
                self.open(width)
                self.assertEqual(self.browser.requests, [self.page.as_uri()])
                self.assertEqual(self.browser.complaints, [])
                self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)
                self.assertEqual(self.browser.value("window.innerWidth"), width)

    def test_one_view_of_each_figure_is_shown_and_legible(self):
        for width, hidden in ((400, "wide"), (1400, "narrow")):
            with self.subTest(width=width):
                self.open(width)
                shown = self.browser.value(
                    "[...document.querySelectorAll('figure')].map(one => [...one.querySelectorAll('svg')]"
                    ".filter(svg => svg.getBoundingClientRect().width > 0).length)")
                self.assertEqual(set(shown), {1})
                self.assertEqual(self.browser.value(f"document.querySelector('.{hidden}-view').offsetWidth"), 0)
                # Of the figures' smallest text, 7 points, on paper: not much less on the screen.
                scales = self.browser.value(
                    "[...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width > 0)"
                    ".map(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)")
                self.assertGreater(min(scales), 1.2)  # pixels a point

    def cells(self, column: int) -> list[str]:
        return self.browser.value(f"[...table.tBodies[0].rows].map(row => row.cells[{column}].textContent)")

    def test_tables_are_sorted_by_keyboard(self):
        self.open(1400)
        self.browser.value("""
            var table = [...document.querySelectorAll('#result-1 table.sortable')][0];
            var heads = [...table.tHead.rows[0].cells];
            var column = heads.findIndex(head => head.textContent.startsWith('images/s'));
            heads[column - 1].querySelector('button').focus()""")
        column = self.browser.value("column")
        before = self.cells(column)
        self.assertEqual(set(self.browser.value("heads.map(head => head.ariaSort)")), {"none"})
        self.browser.press("Tab")
        self.assertTrue(self.browser.value("document.activeElement === heads[column].querySelector('button')"))
        outline = self.browser.value("getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid")
        for key, order in (("Enter", "ascending"), ("Space", "descending")):
            self.browser.press(key)
            self.assertEqual(self.browser.value("heads.filter(head => head.ariaSort !== 'none').length"), 1)
            self.assertEqual(self.browser.value("heads[column].ariaSort"), order)
            after = [float(cell) for cell in self.cells(column)]
            self.assertEqual(after, sorted(map(float, before), reverse=order == "descending"))
        self.assertNotEqual(before, sorted(before, key=float))

    def test_nothing_known_is_last_and_words_are_in_their_order(self):
        self.open(1400)
        self.browser.value("""
            var table = [...document.querySelectorAll('#result-1 table.sortable')][0];
            for (const row of [0, 5]) table.tBodies[0].rows[row].cells[1].textContent = '';
            var press = column => table.tHead.rows[0].cells[column].querySelector('button').click();
            press(1)""")
        for _ in range(2):
            self.assertEqual(self.cells(1)[-2:], ["", ""])
            self.browser.value("press(1)")
        self.browser.value("press(0)")
        models = self.cells(0)
        self.assertEqual(models, sorted(models, key=lambda name: name.replace("_", " ").lower()))

    def test_it_can_be_read_without_its_script(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open(self.page, 1400)
            self.assertEqual(self.browser.complaints, [])
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual(self.browser.value("document.querySelectorAll('th button').length"), 0)
        self.assertGreater(self.browser.value("document.querySelectorAll('th[scope=col]').length"), 10)


if __name__ == "__main__":
    if not browser.program():
        print("SKIPPED: there is no Chromium here; install the package chromium", file=sys.stderr)
        sys.exit(_SKIPPED)
    unittest.main()
