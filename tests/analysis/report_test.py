"""The report: what is on the page, that nothing can be put on it from a result's texts, and what is refused."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

from context import ANALYSIS, DATA, SUMMARY, edited, keep_points, run_here, worked_on
import page.sections
import report as program
from figures import KINDS

HOSTILE = """<script>alert(1)</script>"><img src=x onerror=alert(1)> $x^{ & '"""
FEW_KINDS = ["speedup", "utilisation", "timeline", "calibration"]
_LINES = SUMMARY.read_text().splitlines()
ALEXNET = "\n".join([_LINES[0], *(line for line in _LINES if ",alexnet," in line)])


def report(*arguments: str) -> subprocess.CompletedProcess:
    return run_here(program.main, *arguments)


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str):
        super().__init__()
        self.text = text
        self.tags: list[tuple[str, dict]] = []
        self.words: dict[str, list[str]] = {}  # texts by the tag that they are in
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "link"):
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag, tag

    def handle_data(self, text):
        if self._open:
            self.words.setdefault(self._open[-1], []).append(text)

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.tags if attribute in attributes]

    def count(self, tag: str) -> int:
        return sum(tag == name for name, _ in self.tags)


class ReportTest(unittest.TestCase):
    """Of pages with few figures, which take the time; ContentTest has one with all."""

    def setUp(self):
        for name, few in (("KINDS", {name: KINDS[name] for name in FEW_KINDS}), ("_COMMON_KINDS", FEW_KINDS[:1])):
            patch = mock.patch.object(page.sections, name, few)
            patch.start()
            self.addCleanup(patch.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "report.html"

    def result(self, name: str, *files: str) -> Path:
        """A copy of the sample result, or of some of its files; of the summary, one model."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        for file in files or ("summary.csv", "run.json", "trace.json"):
            shutil.copy(DATA / file, folder)
        if (folder / "summary.csv").exists():
            (folder / "summary.csv").write_text(ALEXNET)
        return folder

    def page(self, *arguments: str) -> Page:
        done = report(*arguments, "--out", self.out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"wrote {self.out}\n", ""))
        return Page(self.out.read_text(encoding="utf-8"))

    def refused(self, pattern: str, *arguments: str) -> None:
        before = sorted(self.folder.rglob("*"))
        done = report(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"\Atandem: error: {pattern}\n\Z")
        self.assertEqual(sorted(self.folder.rglob("*")), before)


class ContentTest(ReportTest):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "all.html"
            cls.said = subprocess.run([sys.executable, "-B", ANALYSIS / "report.py", DATA, "--out", out],
                                      capture_output=True, text=True)
            cls.all = Page(out.read_text(encoding="utf-8"))

    def test_everything_that_a_result_holds(self):
        page = self.all
        self.assertEqual((self.said.returncode, self.said.stderr), (0, ""))
        figures = [label.split(":")[0] for label in page.values("aria-label")]
        self.assertLessEqual(set(KINDS), set(figures))
        self.assertIn("sample", page.words["h1"])
        for title in ("Figures of each point", "Timeline", "Figures", "Predicted and measured", "Scenario", "Environment"):
            self.assertIn(title, page.words["h3"])
        self.assertEqual(page.words["title"], ["sample - tandem report"])

    def test_figures_have_units_and_four_digits(self):
        page = self.page(self.result("one", "summary.csv"))
        self.assertIn("exposed communication (s)", page.words["th"])
        self.assertIn("efficiency (%)", page.words["th"])
        self.assertIn("33.27", page.words["td"])  # 0.33273874
        self.assertNotIn("final weights hash", page.words["th"])  # which is empty everywhere

    def test_it_needs_nothing_else(self):
        page = self.all
        self.assertEqual(page.values("src"), [])
        self.assertEqual({url for url in page.values("href") + page.values("xlink:href") if not url.startswith("#")},
                         {"data:,"})
        elsewhere = set(re.findall(r"https?://[\w./-]+", page.text))
        self.assertLessEqual(elsewhere, {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"})
        self.assertNotIn("@import", page.text)

    def test_no_name_is_there_twice_and_each_reference_has_one(self):
        page = self.all
        names = page.values("id")
        self.assertEqual(len(names), len(set(names)))
        references = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', page.text)
        self.assertGreater(len(references), 100)
        self.assertLessEqual({one or other for one, other in references}, set(names))

    def test_the_same_bytes_again(self):
        result = self.result("one")
        self.assertEqual(self.page(result).text, self.page(result).text)

    def test_without_out_it_is_in_the_result(self):
        result = self.result("one", "summary.csv")
        self.assertEqual(report(result).stdout, f"wrote {result}/report.html\n")

    def test_a_comparison_has_both_of_its_worlds(self):
        whole = self.result("compare", "comparison.csv")
        for world in ("predicted", "measured/1", "measured/2"):
            self.result(f"compare/{world}")
        page = self.page(whole)
        self.assertEqual(page.words["h3"][-3:], ["Predicted", "Measured, repeat 1", "Measured, repeat 2"])
        self.assertEqual(page.words["h3"].count("Timeline"), 1)
        self.assertEqual(page.words["h4"].count("Timeline"), 3)

    def test_a_calibration(self):
        page = self.page(self.result("calibration", "calibration.yaml"))
        self.assertEqual([label.split(":")[0] for label in page.values("aria-label")], ["calibration"] * 2 + ["Calibration"])

    def test_several_results_have_a_table_in_common(self):
        other = self.result("other", "summary.csv")
        (other / "summary.csv").write_text(ALEXNET.replace(",simulated,", ",real,"))
        one = self.result("one", "summary.csv")
        page = self.page(one, other)
        self.assertEqual(page.words["h2"], ["Side by side", f"sample: {one}", f"sample: {other}"])
        self.assertEqual(page.words["a"], page.words["h2"][1:])
        self.assertEqual(page.words["td"].count(str(other)), 12)

    def test_results_of_other_models_have_none(self):
        other = self.result("other", "summary.csv")
        (other / "summary.csv").write_text(ALEXNET.replace("alexnet", "mine"))
        self.assertNotIn("Side by side", self.page(self.result("one", "summary.csv"), other).words["h2"])

    def test_what_differs_between_points_is_a_table(self):
        page = self.page(self.result("one"))
        self.assertIn("algorithm.stage", page.words["th"])
        self.assertIn("model", page.words["th"])
        self.assertIn("bert", page.words["td"])

    def test_tables_of_several_rows_a_point_say_of_which_point_each_is(self):
        result = self.result("one", "summary.csv")
        (result / "summary.csv").write_text("model,algorithm,batch_size,workers,variant,device,platform\n" + "".join(
            f"mnist_cnn,ring,8,2,,{device},star\n" for device in ("k80", "v100")))
        (result / "lost.csv").write_text("point,algorithm,model,batch_size,workers,variant,cause,lost_s,compute_s,waiting_s,share\n" + "".join(
            f"{point},ring,mnist_cnn,8,2,,crashes,1,0,1,0.1\n" for point in (0, 1)))
        cells = self.page(result).words["td"]
        at = cells.index("crashes")
        self.assertEqual(cells[at - 4:at], ["1", "ring all-reduce", "2", "K80"])
        self.assertEqual(cells[cells.index("crashes", at + 1) - 1], "V100")

    def test_communication_is_a_table(self):
        page = self.page(self.result("one"))
        cells = page.words["td"]
        at = cells.index("message")
        self.assertEqual(cells[at - 1:at + 7], ["ZeRO-0", "message", "2", "1\u201310 kB", "1", "30", "3", "100"])
        self.assertIn("bus bandwidth (MB/s)", page.words["th"])

    def test_links_that_flows_do_not_share_have_no_load(self):
        result = self.result("one", "run.json", "summary.csv")
        run = json.loads((result / "run.json").read_text())
        run["points"][0]["links"] = {"busiest": [
            {"link": "wire", "bandwidth_bytes_per_s": 1e9, "bytes": 5e8, "share": 0.25, "peak_share": 0.5},
            {"link": "backbone", "bandwidth_bytes_per_s": None, "bytes": 6e8, "share": None, "peak_share": None}]}
        (result / "run.json").write_text(json.dumps(run))
        cells = self.page(result).words["td"]
        at = cells.index("wire")
        self.assertEqual(cells[at:at + 5], ["wire", "500", "25", "50", "1000"])
        at = cells.index("backbone")
        self.assertEqual(cells[at:at + 5], ["backbone", "600", "-", "-", "-"])

    def test_an_unfinished_sweep_is_said_to_be_one(self):
        result = self.result("one", "summary.csv")
        keep_points(result)
        done = report(result, "--out", self.out)
        self.assertEqual(done.stderr, f"tandem: warning: {result}: unfinished sweep: 12 points so far, others are missing\n")
        page = Page(self.out.read_text(encoding="utf-8"))
        self.assertIn("Unfinished sweep: 12 points so far, others are missing. The same command goes on.", page.words["p"])

    def test_an_older_result_beside_a_newer_sweep_is_said_to_be_one(self):
        result = self.result("one", "summary.csv")
        (result / "points").mkdir()
        self.assertEqual(report(result, "--out", self.out).stderr,
                         f"tandem: warning: {result}: older result: a sweep was begun here since, and is not finished\n")
        self.assertIn("Older result: a sweep was begun here since, and is not finished.", Page(self.out.read_text()).words["p"])

    def test_a_result_that_a_command_still_works_on_is_said_to_be_one(self):
        result = self.folder / "new"
        with worked_on(result):
            self.refused(f"{result}: holds no tables yet: a command still works on this result; once it is done, this can be read", result)
        result = self.result("one", "summary.csv")
        keep_points(result)
        with worked_on(result):
            done = report(result, "--out", self.out)
        said = "nfinished sweep: 12 points so far, others are missing; a command still works on it"
        self.assertEqual((done.returncode, done.stderr), (0, f"tandem: warning: {result}: u{said}\n"))
        self.assertIn(f"U{said}.", Page(self.out.read_text(encoding="utf-8")).words["p"])

    def test_what_does_not_fit_is_named(self):
        result = self.result("one", "run.json", "summary.csv")
        (result / "trace.json").write_text('{"traceEvents": []}')
        self.assertIn("utilisation (trace.json: has no event of a member's lanes)", self.page(result).text.replace("&#x27;", "'"))

    def test_a_cut_table_is_told_once(self):
        result = self.result("one", "run.json", "summary.csv", "traffic.csv")
        whole = (result / "traffic.csv").read_text().splitlines()
        (result / "traffic.csv").write_text("\n".join(whole)[:-len(whole[-1]) // 2])
        with mock.patch.dict(page.sections.KINDS, {"traffic": KINDS["traffic"]}):
            done = report(result, "--out", self.out)
        problem = f"traffic.csv:{len(whole)}: column '"
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertTrue(done.stderr.startswith(f"tandem: warning: traffic is not drawn: {result}/{problem}"), done.stderr)
        self.assertIn(f"traffic ({problem}", self.out.read_text().replace("&#x27;", "'"))

    def test_an_accuracy_that_no_run_has_is_refused(self):
        result = self.result("one", "summary.csv", "accuracy.csv")
        whole = (result / "accuracy.csv").read_text()
        for old, new, problem in ((",10,1,160,", ",10,-1,160,", "'time_s' is -1, but can't be below 0"),
                                  (",10,1,160,", ",10,1,-160,", "'images' is -160, but can't be below 0"),
                                  (",0.952380952,", ",5,", "'accuracy' is 5, but can't be above 1"),
                                  ("\n0,ring", "\n70,ring", "'point' is 70, but summary.csv has 12 points, counted from 0")):
            edited(DATA / "accuracy.csv", result / "accuracy.csv", (old, new))
            self.refused(f"{result}/accuracy.csv:2: column {problem}", result)
        (result / "accuracy.csv").write_text(whole)
        self.page(result)

    def test_many_panels_are_left_to_plot(self):
        result = self.result("one", "summary.csv")
        (result / "summary.csv").write_text("\n".join(
            [_LINES[0], *(_LINES[1].replace("alexnet", f"model{number}") for number in range(13))]))
        self.assertIn("speedup (it has 13 panels; tandem plot speedup draws them)", self.page(result).text)


class ExplanationTest(ReportTest):
    def explained(self, script: str, *options: str, points: int = 1) -> subprocess.CompletedProcess:
        program = self.folder / "tandem"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        result = self.result("one")
        run = json.loads((result / "run.json").read_text())
        run["points"] = [run["points"][0]] * points
        (result / "run.json").write_text(json.dumps(run))
        return report(result, "--explain-by", program, "--out", self.out, *options)

    def explained_points(self, *options: str, points: int) -> list[str]:
        self.assertEqual(self.explained('echo "Bottleneck: $3."', *options, points=points).returncode, 0)
        self.read = Page(self.out.read_text())
        return [re.sub(r"\D", "", text) for text in self.read.words["pre"] if text.startswith("Bottleneck")]

    def test_it_is_on_the_page_without_what_its_simulations_said(self):
        done = self.explained('echo "[1/1] went on"; echo; echo "vgg16, <ring>"; echo "Bottleneck: $*."; echo "knee"')
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = Page(self.out.read_text())
        self.assertEqual(page.words["pre"], [f"vgg16, <ring>\nBottleneck: explain --point 1 -- {self.folder}/one.\nknee"])

    def test_every_point_of_a_few_is_explained_and_the_last_is_unfolded(self):
        self.assertEqual(self.explained_points(points=3), ["1", "2", "3"])
        self.assertNotIn("Not explained here", self.read.text)
        self.assertEqual([attributes.get("open") for tag, attributes in self.read.tags if tag == "details"][:3], [None, None, "open"])

    def test_of_many_points_some_are_and_it_says_which_are_not(self):
        self.assertEqual(self.explained_points(points=11), ["1", "3", "5", "7", "9", "11"])
        self.assertIn("Not explained here: 2, 4, 6, 8, 10 of 11 points;", self.read.text)

    def test_or_the_one_that_is_asked_for(self):
        self.assertEqual(self.explained_points("--point", "2", points=8), ["2"])
        self.assertIn("Not explained here: 1, 3-8 of 8 points;", self.read.text)

    def test_a_point_that_is_not_there_is_refused(self):
        for number in ("0", "4"):
            shutil.rmtree(self.folder / "one", ignore_errors=True)
            done = self.explained("exit 1", "--point", number, points=3)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"\Atandem: error: --point {number}: .*/one has 3 points, counted from 1\n\Z")

    def test_figures_of_one_point_show_it_too(self):
        result = self.result("one")
        trace = json.loads((result / "trace.json").read_text())
        trace["traceEvents"] += [event | {"args": event["args"] | {"point": 2}} for event in trace["traceEvents"]]
        (result / "trace.json").write_text(json.dumps(trace))
        with mock.patch.object(page.sections, "KINDS", {"timeline": KINDS["timeline"]}):
            shown = {number: self.page(result, *(["--point", number] if number else [])).text for number in ("", "1", "3")}
        self.assertEqual(shown[""], shown["3"])
        self.assertNotEqual(shown["1"], shown["3"])

    def test_a_point_is_looked_for_where_nothing_is_explained(self):
        self.refused("--point 5: .*/one has 4 points, counted from 1", self.result("one"), "--point", "5", "--out", self.out)

    def test_what_it_can_not_say_is_said(self):
        self.assertEqual(self.explained('echo "tandem: error: the trace is short" >&2; exit 2').returncode, 0)
        self.assertIn("can't say: the trace is short", Page(self.out.read_text()).words["pre"][0])

    def test_its_failing_is_no_report(self):
        done = self.explained("echo broken >&2; exit 1")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Atandem: error: .*: tandem explain ended with code 1: broken\n\Z")
        self.assertFalse(self.out.exists())


class HostileTest(ReportTest):
    def test_a_results_texts_stay_texts(self):
        result = self.folder / f"a <b> & 'c'"
        result.mkdir()
        quoted = '"' + HOSTILE.replace('"', '""') + '"'
        (result / "summary.csv").write_text(
            ALEXNET.replace("\nsample,", f"\n{quoted},").replace("alexnet", quoted).replace("sample_cluster", quoted))
        scenario = {"algorithm": {"name": HOSTILE}, "workers": 1, "model": HOSTILE, HOSTILE: HOSTILE, "name": "\u0001\u4e16"}
        environment = {"device_profiles": {HOSTILE: HOSTILE}, HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]}
        (result / "run.json").write_text(json.dumps(
            {"command": HOSTILE, "points": [{"scenario": scenario, "environment": environment, "platform": HOSTILE}]}))
        span = {"ph": "X", "tid": 0, "name": HOSTILE, "ts": 0, "dur": 1, "args": {"point": 0, "rank": 0}}
        (result / "trace.json").write_text(json.dumps({"traceEvents": [span]}))
        page = self.page(result)
        self.assertEqual((page.count("script"), page.count("img")), (1, 0))
        self.assertEqual(page.words["script"], [(ANALYSIS / "page" / "page.js").read_text()])
        self.assertEqual([name for _, attributes in page.tags for name in attributes if name.startswith("on")], [])
        self.assertIn(HOSTILE, page.words["h1"][0])
        self.assertIn("timeline", [label.split(":")[0] for label in page.values("aria-label")])

    def test_the_policy_lets_only_the_pages_own_script_run(self):
        page = self.page(self.result("one", "summary.csv"))
        (policy,) = [given["content"] for _, given in page.tags if given.get("http-equiv") == "Content-Security-Policy"]
        self.assertRegex(policy, r"\Adefault-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-[\w+/=]+'\Z")


class RefusedTest(ReportTest):
    def test_no_result(self):
        self.refused("nowhere: no such folder; a report is of result folders", "nowhere", "--out", self.out)
        self.refused(f"{SUMMARY}: no such folder; .*", SUMMARY, "--out", self.out)
        (self.folder / "empty").mkdir()
        self.refused(r".*/empty: holds no summary\.csv, .*", self.folder / "empty")

    def test_arguments(self):
        self.refused(r"report: --out .*\.pdf: a report is an \.html file", DATA, "--out", self.folder / "report.pdf")
        self.refused("report: the following arguments are required: RESULT", "--out", self.out)

    def broken(self, file: str, text: str) -> Path:
        result = self.result(f"broken{len(os.listdir(self.folder))}")
        (result / file).write_text(text)
        return result

    def test_broken_files(self):
        good = SUMMARY.read_text()
        number = edited(SUMMARY, self.folder / "number.csv", (",0.33273874,", ",fast,")).read_text()
        for file, text, message in (
                ("summary.csv", number, r"summary\.csv:2: column 'speedup' 'fast' is not a number"),
                ("summary.csv", good.replace(",model,", ",,"), r"summary\.csv:1: column 'model' is missing"),
                ("run.json", "{", r"run\.json:1:2: not JSON: .*"),
                ("run.json", "[]", r"run\.json: not a map"),
                ("run.json", '{"points": [{"scenario": 1}]}', r"run\.json: point 1 has no scenario with .*"),
                ("run.json", '{"points": {}}', r"run\.json: point 1 has no scenario with .*"),
                ("trace.json", "[" * 100000, r"trace\.json: is nested too deeply; .*"),
                ("trace.json", '{"traceEvents": [1]}', r"trace\.json: has an event that is no map"),
                ("trace.json", '{"traceEvents": [{"ph": "X", "tid": 0, "name": "x", "ts": "x", "dur": 1, "args": {"point": 0, "rank": 0}}]}',
                 r"trace\.json: not as this tandem writes it; make the result again \(ts: it can't be \"x\"\)"),
                ("trace.json", '{"traceEvents": [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": -5, "args": {"point": 0, "rank": 0}}]}',
                 r"trace\.json: not as this tandem writes it; make the result again \(dur: it can't be -5\)"),
                ("trace.json", '{"traceEvents": [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1, "args": {"point": 9, "rank": 0}}]}',
                 r"trace\.json: has events of point 9, which run\.json hasn't"),
                ("trace.json", '{"traceEvents": [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1, "args": {"point": 0, "rank": 99}}]}',
                 r"trace\.json: not as this tandem writes it; make the result again \(rank: it can't be 99\)")):
            with self.subTest(file=file, text=text[:60]):
                self.refused(f".*/{message}", self.broken(file, text), "--out", self.out)

    def test_text_that_is_no_unicode(self):
        result = self.broken("run.json", '{"command": "\\ud800"}')
        (result / "trace.json").unlink()
        self.refused(r".*/run\.json: not JSON: it holds text that is no Unicode", result, "--out", self.out)

    def test_a_folder_whose_name_is_no_unicode(self):
        self.refused("a result holds text that is no Unicode", self.result(os.fsdecode(b"\xff")), "--out", self.out)

    def test_other_files_are_not_overwritten(self):
        self.out.write_text("<html>my notes</html>")
        self.refused(".*/report.html: this is no report, and won't be overwritten; give another --out",
                     DATA, "--out", self.out)
        self.assertEqual(self.out.read_text(), "<html>my notes</html>")
        (self.folder / "folder.html").mkdir()
        self.refused(".*/folder.html: this is a folder; give a file's name", DATA, "--out", self.folder / "folder.html")
        os.mkfifo(self.folder / "pipe.html")
        self.refused(".*/pipe.html: this is a device, a pipe or a socket; give a file's name", DATA, "--out", self.folder / "pipe.html")

    def test_unwritable_output(self):
        (self.folder / "file").write_text("")
        self.refused(".*/file: can't write: .+", self.result("one", "summary.csv"), "--out", self.folder / "file" / "x.html")


if __name__ == "__main__":
    unittest.main()
