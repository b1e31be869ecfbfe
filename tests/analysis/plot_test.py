"""The command line: what it writes, and what it says and leaves behind when it can't."""

import contextlib
import errno
import fcntl
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from context import ANALYSIS, DATA, SUMMARY, edited, keep_points, run_here, worked_on
import commands
import plot as program
import style
from figures import KINDS, draw
from results import goes_on, unfinished


def plot(*arguments: str) -> subprocess.CompletedProcess:
    return run_here(program.main, *arguments)


# What kinds read first of a result; others summary.csv.
FIRST_READ = {"compare": "comparison.csv", "accuracy": "accuracy.csv", "staleness": "staleness.csv",
              **dict.fromkeys(["utilisation", "timeline", "communication", "memory", "topology", "traffic"], "run.json")}


class PlotTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def files(self) -> list[str]:
        return sorted(os.listdir(self.folder))

    def test_both_formats_without_an_ending(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.assertEqual(plot(kind, DATA, "--out", self.folder / kind).stderr, "")
                self.assertEqual((self.folder / f"{kind}.png").read_bytes()[:4], b"\x89PNG")
                pdf = (self.folder / f"{kind}.pdf").read_bytes()
                self.assertEqual(pdf[:4], b"%PDF")
                self.assertIn(b"/FontFile2", pdf)

    def test_one_format_with_an_ending_and_folders_made(self):
        done = subprocess.run([sys.executable, "-B", ANALYSIS / "plot.py", "speedup", SUMMARY, "--out",
                               self.folder / "new" / "figure.pdf", "--width", "single"],
                              capture_output=True, text=True, cwd="/")
        self.assertEqual((done.returncode, done.stdout), (0, f"wrote {self.folder}/new/figure.pdf\n"
                                                           f"wrote {self.folder}/new/figure.csv\n"))
        self.assertEqual(sorted(os.listdir(self.folder / "new")), ["figure.csv", "figure.pdf"])

    def test_a_folder_names_no_figure(self):
        done = plot("speedup", SUMMARY, "--out", f"{self.folder}/new/")
        self.assertEqual((done.returncode, done.stderr),
                         (2, f"tandem: error: --out {self.folder}/new/: this is a folder; give a file's name\n"))
        self.assertEqual(self.files(), [])

    def test_an_ending_that_no_figure_has(self):
        for ending in (".txt", ".csv", ".JPG", ".svgz"):
            with self.subTest(ending=ending):
                file = self.folder / "new" / f"figure{ending}"
                done = plot("speedup", SUMMARY, "--out", file)
                self.assertEqual((done.returncode, done.stderr),
                                 (2, f"tandem: error: --out {file}: a figure is a .png, .pdf or .svg; without an ending, the first two are made\n"))
                self.assertEqual(self.files(), [])

    def test_a_name_can_be_checked_before_there_is_a_result(self):
        (self.folder / "mine.csv").write_text("a,b\n")
        result = self.folder / "result"
        for file, complaint in ((result, "the result has a file or folder of this name; give another"),
                                (result / "comparison", "the result has a file or folder of this name; give another"),
                                (self.folder / "of.gif", "a figure is a .png, .pdf or .svg; without an ending, the first two are made")):
            done = plot("compare", result, "--out", file, "--check=--figure")
            self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: --figure {file}: {complaint}\n"))
        done = plot("compare", result, "--out", self.folder / "mine", "--check=--figure")
        self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: {self.folder}/mine.csv: this is no table of a figure, and "
                                                             "won't be overwritten; give another --out\n"))
        for file in (self.folder / "yours", result / "figure.svg"):
            done = plot("compare", result, "--out", file, "--check=--figure")
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        self.assertEqual(self.files(), ["mine.csv"])

    def test_the_same_bytes_again(self):
        for name in ("a", "b"):
            plot("speedup", DATA, "--out", self.folder / name)
            plot("speedup", DATA, "--out", self.folder / f"{name}.svg")
        for ending in (".png", ".pdf", ".svg", ".csv"):
            self.assertEqual((self.folder / f"a{ending}").read_bytes(), (self.folder / f"b{ending}").read_bytes())

    def test_a_figure_that_fits_no_page_is_told(self):
        rows = SUMMARY.read_text(encoding="utf-8").splitlines()
        summary = self.folder / "summary.csv"
        summary.write_text("\n".join([rows[0], *(row.replace(",vgg16,", f",model {n},") for n in range(6) for row in rows if ",vgg16," in row)]))
        self.assertEqual(plot("scaling", summary, "--out", self.folder / "broad.png").stderr, "")
        points = [row.replace(",vgg16,", f",model {n},") for n in range(18) for row in rows if ",vgg16," in row]
        (self.folder / "many.csv").write_text("\n".join([rows[0], *points]))
        for width in ([], ["--width", "double"]):
            self.assertEqual(plot("scaling", self.folder / "many.csv", "--out", self.folder / "long.png", *width).stderr,
                             "tandem: warning: this figure is 12 inches high, more than a page; take a result of fewer models\n")
        self.assertEqual(plot("scaling", summary, "--out", self.folder / "narrow.png", "--width", "single").stderr,
                         "tandem: warning: this figure is 12 inches high, more than a page; take --width double, or a result of fewer models\n")

    def test_more_points_than_a_page_has_room_for_can_be_drawn_one_by_one(self):
        points = [{"scenario": {"algorithm": {"name": "none"}, "workers": 1, "model": "x", "batch_size": i}} for i in range(40)]
        (self.folder / "run.json").write_text(json.dumps({"points": points}))
        spans = [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1, "args": {"point": i, "rank": 0}} for i in range(40)]
        (self.folder / "trace.json").write_text(json.dumps({"traceEvents": spans}))
        done = plot("utilisation", self.folder, "--out", self.folder / "long.png")
        self.assertEqual(done.returncode, 0)
        said = "^tandem: warning: this figure is \\d+ inches high, more than a page; take one point by --point\n$"
        self.assertRegex(done.stderr, said)
        self.assertTrue((self.folder / "long.png").exists())
        self.assertEqual(plot("utilisation", self.folder, "--out", self.folder / "short.png", "--point", 3).stderr, "")

    def test_a_figure_that_fits_no_page_has_advice_that_helps(self):
        parts = dict.fromkeys(["parameters", "gradients", "optimizer_state", "layer_groups_in_use", "activations", "buffers", "total"], 1e6)
        point = {"scenario": {"algorithm": {"name": "zero", "stage": 1}, "model": "x"}, "environment": {"memory": {"predicted": parts}}}

        def result(name: str, points: int) -> Path:
            folder = self.folder / name
            folder.mkdir()
            (folder / "run.json").write_text(json.dumps({"points": [point | {"scenario": point["scenario"] | {"workers": n}} for n in range(1, points + 1)]}))
            spans = [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1, "args": {"point": i, "rank": 0}} for i in range(points)]
            (folder / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            return folder

        def advice(*arguments) -> str:
            done = plot(*arguments, "--out", self.folder / "figure.png")
            self.assertRegex(done.stderr, "^tandem: warning: this figure is \\d+ inches high, more than a page.*\n$")
            return done.stderr.strip().partition("more than a page")[2]

        many = result("many", 100)
        self.assertEqual(advice("memory", many), "; take a result of fewer points")
        self.assertEqual(advice("memory", many, "--width", "single"), "; take --width double, or a result of fewer points")
        several = [result(f"{i}", 2) for i in range(12)]
        self.assertEqual(advice("memory", many, *several[:2]), "; take fewer results")
        for point in ([], ["--point", 1]):
            self.assertEqual(advice("timeline", *several, *point), "; take fewer results")

    def test_letters_that_no_font_has_are_told(self):
        summary = self.folder / "summary.csv"
        summary.write_text(SUMMARY.read_text(encoding="utf-8").replace(",vgg16,", ",vgg\U0010fffd,"), encoding="utf-8")
        done = plot("scaling", summary, "--out", self.folder / "figure")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "tandem: warning: no font that is installed has the letters \U0010fffd, which are boxes in the figure; "
                             "install one, such as Debian's fonts-noto-cjk\n"))
        self.assertEqual(self.files(), ["figure.csv", "figure.pdf", "figure.png", "summary.csv"])

    def test_wrong_file_is_one_line_and_nothing_written(self):
        wrong = edited(SUMMARY, self.folder / "wrong.csv", (",speedup,", ",sped,"))
        done = plot("speedup", wrong, "--out", self.folder / "figure")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"tandem: error: {wrong}:1: column 'speedup' is missing\n")
        self.assertEqual(self.files(), ["wrong.csv"])

    def test_an_accuracy_that_no_run_has_is_refused(self):
        header = "point,algorithm,model,batch_size,workers,variant,iteration,time_s,images,accuracy,sent_bytes"
        (self.folder / "summary.csv").write_text("model,algorithm,workers,batch_size,variant,accuracy,sent_bytes_per_worker,server_sent_bytes\n"
                                                 "mnist_cnn,ring,2,8,,0.5,100,\nmnist_cnn,ring,4,8,,0.5,100,\n")
        row = dict(zip(header.split(","), "1,ring,mnist_cnn,8,4,,10,1,80,0.5,100".split(",")))

        def write(**changed: str) -> None:
            (self.folder / "accuracy.csv").write_text(f"{header}\n{','.join((row | changed).values())}\n")

        for column, cell, problem, kinds in (("time_s", "-1", "is -1, but can't be below 0", ["accuracy"]),
                                             ("accuracy", "5", "is 5, but can't be above 1", ["accuracy"]),
                                             ("iteration", "-10", "is -10, but can't be below 0", ["accuracy"]),
                                             ("sent_bytes", "-7", "is -7, but can't be below 0", ["accuracy", "accuracy_traffic"]),
                                             ("point", "7", "is 7, but summary.csv has 2 points, counted from 0", ["accuracy", "accuracy_traffic"]),
                                             ("point", "0.5", "is 0.5, but summary.csv has 2 points, counted from 0", ["accuracy", "accuracy_traffic"])):
            write(**{column: cell})
            for kind in kinds:
                with self.subTest(column=column, cell=cell, kind=kind):
                    done = plot(kind, self.folder, "--out", self.folder / "figure")
                    self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: {self.folder}/accuracy.csv:2: column '{column}' {problem}\n"))
        write()
        self.assertEqual(plot("accuracy", self.folder, "--out", self.folder / "figure.svg").stderr, "")
        (self.folder / "summary.csv").unlink()
        write(point="-1")
        self.assertIn("accuracy.csv:2: column 'point' is -1, but can't be below 0", plot("accuracy", self.folder, "--out", self.folder / "figure").stderr)

    def test_comparison_without_its_quantities(self):
        wrong = self.folder / "comparison.csv"
        wrong.write_text(re.sub(r"(ring|parameter_server),mnist_cnn,(\d),\w+", r"\1,mnist_cnn,\2,x", (DATA / "comparison.csv").read_text()))
        done = plot("compare", self.folder, "--out", self.folder / "figure")
        self.assertEqual(done.stderr, f"tandem: error: {wrong}: column 'quantity' has no iteration_s, speedup, "
                                      "exposed_communication_s or sent_bytes_per_worker with both figures\n")
        self.assertEqual(done.returncode, 2)

    def test_unwritable_output(self):
        (self.folder / "file").write_text("")
        done = plot("speedup", DATA, "--out", self.folder / "file" / "figure.png")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"^tandem: error: {self.folder}/file: can't write: .+\n$")

    def test_failing_while_writing_leaves_the_old_figure(self):
        old = self.folder / "figure.png"
        old.write_text("old")
        with mock.patch("commands.os.replace", side_effect=OSError(errno.ENOSPC, "No space left on device", str(old))):
            done = plot("speedup", DATA, "--out", old)
        self.assertEqual((done.returncode, done.stderr), (1, f"tandem: error: {old}: can't write: No space left on device\n"))
        self.assertEqual((self.files(), old.read_text()), (["figure.png"], "old"))

    def test_what_a_disk_takes_no_file_for_is_named(self):
        file = self.folder / "figure.png"
        for name, refusal, code in ((None, errno.ENOSPC, 1), (".figure.png.x1y2", errno.EROFS, 2)):
            with mock.patch("commands.tempfile.mkstemp", side_effect=OSError(refusal, os.strerror(refusal), name)):
                done = plot("speedup", DATA, "--out", file)
            self.assertEqual((done.returncode, done.stderr), (code, f"tandem: error: {file}: can't write: {os.strerror(refusal)}\n"))

    def test_only_what_is_of_the_figure_is_said_to_be_of_it(self):
        file, missing = self.folder / "figure.png", self.folder / "missing"
        for make, message in ((lambda name: missing.read_text(), f"{missing}: No such file or directory"),
                              (mock.Mock(side_effect=OSError("odd")), f"{file}: can't write: odd")):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(commands.run(lambda: commands.write(file, make)), 2)
            self.assertEqual(errors.getvalue(), f"tandem: error: {message}\n")
            self.assertEqual(self.files(), [])

    def test_what_is_no_file_is_neither_replaced_nor_extended(self):
        (self.folder / "figure.png").mkdir()
        os.mkfifo(self.folder / "pipe")
        os.mkfifo(self.folder / "of.csv")
        before = self.files()
        for out, named, what in (("figure.png", "figure.png", "folder"), ("figure", "figure.png", "folder"), ("", "", "folder"),
                                 ("pipe", "pipe", "device, a pipe or a socket"), ("of", "of.csv", "device, a pipe or a socket"),
                                 ("/dev/null", "/dev/null", "device, a pipe or a socket")):
            done = plot("speedup", DATA, "--out", self.folder / out)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"tandem: error: {self.folder / named}: this is a {what}; give a file's name\n"))
        self.assertEqual(self.files(), before)
        self.assertFalse(Path("/dev/null.png").exists())

    def test_a_result_is_not_overwritten_by_a_table(self):
        result = edited(SUMMARY, self.folder / "summary.csv")
        done = plot("speedup", result, "--out", self.folder / "summary.png")
        self.assertEqual(done.returncode, 2)
        self.assertIn("won't be overwritten", done.stderr)
        self.assertEqual(result.read_bytes(), SUMMARY.read_bytes())
        self.assertEqual(self.files(), ["summary.csv"])

    def test_no_table_has_the_name_of_a_file_that_a_result_may_get(self):
        for sign in (".tandem-aBcDeF", "points", "predicted", "run.json"):
            with self.subTest(sign=sign):
                folder = self.folder / f"with_{sign}"
                (folder / sign).mkdir(parents=True)
                table = folder / "topology.csv"
                done = plot("memory", DATA, "--out", table.with_suffix(".svg"))
                self.assertEqual((done.returncode, done.stderr),
                                 (2, f"tandem: error: {table}: a result has a file of this name, and that is a result's folder; give another --out\n"))
                self.assertEqual(os.listdir(folder), [sign])
                self.assertEqual(plot("memory", DATA, "--out", folder / "memory.svg").returncode, 0)
        self.assertEqual(plot("memory", DATA, "--out", self.folder / "topology.svg").returncode, 0)

    def test_a_result_that_is_written_while_it_is_read_is_not_drawn(self):
        result = self.folder / "result"
        for part in ("", "measured/2"):
            with self.subTest(part=part):
                (result / part).mkdir(parents=True, exist_ok=True)
                summary = edited(SUMMARY, result / part / "summary.csv")

                def draw_and_write(*arguments, summary=summary):
                    figure = draw(*arguments)
                    os.replace(edited(SUMMARY, self.folder / "new.csv"), summary)
                    return figure

                with mock.patch("figures.draw", draw_and_write):
                    done = plot("speedup", result, "--out", self.folder / "figure")
                self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: {result}: a command wrote to this result while it was read; "
                                                                     "wait for its end, and try again\n"))
        self.assertEqual(self.files(), ["result"])

    def test_a_broken_run_is_one_line(self):
        (self.folder / "run.json").write_text("{")
        done = plot("memory", self.folder, "--out", self.folder / "figure")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^tandem: error: .*/run\.json:\d+:\d+: not JSON: .+\n$")

    def test_an_unfinished_sweep_is_said_to_be_one(self):
        edited(SUMMARY, self.folder / "summary.csv")
        self.assertEqual(plot("speedup", self.folder, "--out", self.folder / "whole.svg").stderr, "")
        self.assertEqual(self.note("whole.svg"), [])
        keep_points(self.folder)
        for width in style.WIDTHS:
            done = plot("speedup", self.folder, "--out", self.folder / "part.svg", "--width", width)
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                             (0, f"tandem: warning: {self.folder}: unfinished sweep: 60 points so far, others are missing"))
            self.assertEqual(self.note("part.svg"), ["Unfinished sweep: 60\N{NO-BREAK SPACE}points so far, others are missing."])

    def test_a_result_beside_points_of_a_newer_sweep_is_said_to_be_older(self):
        edited(SUMMARY, self.folder / "summary.csv")
        (self.folder / "points").mkdir()
        done = plot("speedup", self.folder, "--out", self.folder / "older.svg")
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"tandem: warning: {self.folder}: older result: a sweep was begun here since, and is not finished\n"))
        (self.folder / "run.json").write_text(json.dumps({"points": [{"scenario": {"algorithm": {"name": "ring"}, "workers": 2}}]}))
        self.assertNotIn("older", plot("accuracy", self.folder, "--out", self.folder / "figure").stderr)

    def note(self, file: str) -> list[str]:
        texts = " ".join(re.findall("<!-- (.*?) -->", (self.folder / file).read_text()))
        return re.findall("Unfinished[^.]*\\.", texts)

    def test_of_several_results_one_without_the_table_is_left_out_and_told(self):
        for kind in ("accuracy", "staleness"):
            with self.subTest(kind=kind):
                without = self.folder / f"without_{kind}"
                without.mkdir()
                edited(SUMMARY, without / "summary.csv")
                figures = [self.folder / kind / name for name in ("alone.svg", "both.svg", "none.svg")]
                plot(kind, DATA, "--out", figures[0])
                done = plot(kind, DATA, without, "--out", figures[1])
                said = f"{without}: holds no {kind}.csv, and is not in the figure."
                self.assertEqual((done.returncode, done.stderr), (0, f"tandem: warning: {said}\n"))
                self.assertEqual(*(figure.with_suffix(".csv").read_text() for figure in figures[:2]))
                words = " ".join(re.findall("<!-- (.*?) -->", figures[1].read_text()))
                self.assertIn("and is not in the figure.", words)
                for results in ([without, without], [DATA, self.folder / "nothing"]):
                    done = plot(kind, *results, "--out", figures[2])
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr, f"^tandem: error: {results[1]}[^ ]*: no such file")

    def test_why_a_result_has_no_accuracy_or_staleness_is_said(self):
        one = {"scenario": {"algorithm": {"name": "ring"}, "workers": 2, "model": "vgg16"}}
        tested = {"scenario": one["scenario"] | {"evaluate_every": 5}}
        known = "those of asynchronous parameter server, stale synchronous parameter server, elastic averaging and AD-PSGD may be"
        untested = "the scenario doesn't say evaluate_every, the iterations from one test of accuracy to the next; run it with --set evaluate_every=N"
        for number, (world, algorithm, point, accuracy, staleness) in enumerate((
                ("simulated", "ring", tested, "simulations train nothing; tandem run writes it where the scenario says evaluate_every",
                 f"no update of ring all-reduce is stale; {known}"),
                ("real", "zero_1", one, untested, f"no update of ZeRO-1 is stale; {known}"),
                ("real", "ad_psgd", tested, "no accuracy was tested", "no update was counted"))):
            folder = self.folder / str(number)
            comparison = folder / "of_both"
            for result in (folder, comparison / "measured"):
                result.mkdir(parents=True)
                (result / "summary.csv").write_text(f"world,algorithm,workers\n{world},{algorithm},2\n")
                (result / "run.json").write_text(json.dumps({"points": [point]}))
            (comparison / "comparison.csv").touch()
            for result in (folder, comparison):
                for kind, why in (("accuracy", accuracy), ("staleness", staleness)):
                    with self.subTest(kind=kind, world=world, algorithm=algorithm, result=result):
                        done = plot(kind, result, "--out", self.folder / "figure")
                        self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: {result}/{kind}.csv: no such file: {why}\n"))
        keep_points(self.folder / "0")
        self.assertIn("no such file: unfinished sweep: 1 point so far", plot("accuracy", self.folder / "0", "--out", self.folder / "figure").stderr)

    def test_a_run_that_was_ended_before_its_tables_is_said_to_be_one(self):
        (self.folder / "checkpoints").mkdir()
        done = plot("accuracy", self.folder, "--out", self.folder / "figure")
        self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: {self.folder}/accuracy.csv: no such file yet: the run was ended before its "
                                                             "tables were written; the same command with --resume goes on with it\n"))

    def test_a_sweep_without_tables_yet_is_said_to_be_one(self):
        (self.folder / "points").mkdir()
        done = plot("speedup", self.folder, "--out", self.folder / "figure")
        self.assertEqual((done.returncode, self.files()), (2, ["points"]))
        self.assertIn("summary.csv: no such file yet: the sweep was ended before", done.stderr)

    def test_a_result_that_a_command_still_works_on_is_said_to_be_one(self):
        for at, where in enumerate((".", "predicted", "measured", "measured/1")):
            for others in (False, True):
                for had in ("", "points", "checkpoints"):
                    whole = self.folder / f"{at}{others}{had}"
                    result = whole / where
                    (result / had).mkdir(parents=True)
                    with worked_on(whole, others):
                        for kind in KINDS.keys() - {"calibration"}:
                            name = FIRST_READ.get(kind, "summary.csv")
                            with self.subTest(where=where, others=others, had=had, kind=kind):
                                done = plot(kind, result, "--out", self.folder / "figure")
                                self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: {result}/{name}: no such file yet: a command still "
                                                                                     "works on this result; once it is done, this can be read\n"))
                        if not where.startswith("measured"):
                            self.assertNotIn("still works", plot("speedup", result / "typo", "--out", self.folder / "figure").stderr)
                    self.assertNotIn("still works", plot("speedup", result, "--out", self.folder / "figure").stderr)

    def test_what_is_done_of_a_sweep_that_goes_on_is_drawn(self):
        result = self.folder / "result"
        keep_points(result)
        edited(SUMMARY, result / "summary.csv")
        with worked_on(result):
            done = plot("speedup", result, "--out", self.folder / "part.svg")
            tables = plot("accuracy", result, "--out", self.folder / "figure")
        said = "unfinished sweep: 60 points so far, others are missing; a command still works on it"
        self.assertEqual((done.returncode, done.stderr), (0, f"tandem: warning: {result}: {said}\n"))
        self.assertIn("accuracy.csv: no such file yet: a command still works on this result", tables.stderr)

    def test_what_a_killed_command_left_or_others_lock_is_worked_on_by_nobody(self):
        (self.folder / ".tandem-work-left").mkdir()
        (self.folder / "points").mkdir()
        self.assertIn("the sweep was ended before", plot("speedup", self.folder, "--out", self.folder / "figure").stderr)
        (self.folder / ".tandem-work-left").rmdir()
        handle = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, handle)
        fcntl.flock(handle, fcntl.LOCK_EX)
        self.assertIn("the sweep was ended before", plot("speedup", self.folder, "--out", self.folder / "figure").stderr)

    def test_who_locks_a_folder_for_a_moment_does_not_work_on_it(self):
        (self.folder / ".tandem-work-left").mkdir()
        handle = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        with mock.patch("results.time.sleep"):
            self.assertTrue(goes_on(self.folder))
        with mock.patch("results.time.sleep", side_effect=lambda _: os.close(handle)) as waited:
            self.assertFalse(goes_on(self.folder))
        waited.assert_called_once()

    def test_an_unfinished_comparison_is_said_to_be_one(self):
        (self.folder / "predicted").mkdir()
        edited(SUMMARY, self.folder / "predicted" / "summary.csv")
        for result in [self.folder, self.folder / "predicted", self.folder / "predicted" / "summary.csv", self.folder / "measured" / "1"]:
            self.assertEqual(unfinished(str(result)), "unfinished comparison: not all is predicted and measured")
        edited(DATA / "comparison.csv", self.folder / "comparison.csv")
        self.assertEqual(unfinished(str(self.folder)), "")

    def test_a_point_of_a_kind_that_shows_all(self):
        done = plot("speedup", DATA, "--point", "2", "--out", self.folder / "figure")
        self.assertEqual((done.returncode, done.stderr), (2, "tandem: error: plot: --point 2: speedup is of all points; one can be taken of "
                                                             "breakdown, utilisation, timeline, topology, communication, traffic\n"))
        done = plot("timeline", DATA, "--point", "9", "--out", self.folder / "figure")
        self.assertEqual((done.returncode, done.stderr), (2, f"tandem: error: --point 9: {DATA} has 4 points, counted from 1\n"))

    def test_unknown_kind(self):
        done = plot("pie", DATA, "--out", self.folder / "figure")
        self.assertEqual(done.returncode, 2)
        self.assertIn("pie", done.stderr)


if __name__ == "__main__":
    unittest.main()
