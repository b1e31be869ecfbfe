"""What the figure of an iteration's parts shows: bars' heights, and stragglers' names."""

import json
import tempfile
import unittest
from pathlib import Path

from context import HERE, SUMMARY
import style
from figure import column, draw, legend_texts, panel, table_rows
from figures import KINDS
from results import ResultError


class BreakdownTest(unittest.TestCase):
    def test_bars_stack_to_compute_and_exposed_communication(self):
        bars = panel(draw("breakdown"), "ResNet-50").patches
        compute = column("resnet50", "parameter_server", "compute_s")
        exposed = column("resnet50", "parameter_server", "exposed_communication_s")
        self.assertEqual([round(bar.get_height(), 9) for bar in bars[:12]], compute + exposed)
        self.assertEqual([bar.get_y() for bar in bars[6:12]], compute)

    def test_short_times_are_in_milliseconds(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            rows = [line for line in SUMMARY.read_text().splitlines() if "alexnet,synthetic,ring,1" in line]
            header = SUMMARY.read_text().splitlines()[0]
            file.write_text("\n".join([header, *rows]))
            axes = panel(draw("breakdown", file), "AlexNet")
        self.assertEqual(axes.get_ylabel(), "time per iteration (ms)")
        self.assertAlmostEqual(axes.patches[0].get_height(), 780)

    def test_a_straggler_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = [line for line in SUMMARY.read_text().splitlines() if "vgg16,synthetic,ring,4" in line]
            (Path(folder) / "summary.csv").write_text("\n".join([SUMMARY.read_text().splitlines()[0], *rows]))
            point = {"scenario": {"algorithm": {"name": "all_reduce"}, "workers": 4, "model": "vgg16"}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))

            def written(times: list[float]) -> list[str]:
                spans = [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": time * 1e6, "args": {"point": 0, "rank": rank, "iteration": i}}
                         for rank, time in enumerate(times) for i in (2, 3)]
                (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
                figure = draw("breakdown", Path(folder))
                rows = table_rows(figure)
                return [text.get_text() for text in panel(figure, "VGG-16").texts] + [row["series"] for row in rows if row["mark"] == "straggler"]

            self.assertEqual(written([1, 1, 2.5, 1]), ["worker 2\n2.5\N{MULTIPLICATION SIGN}", "ring all-reduce: computing of worker 2"])
            self.assertEqual(written([1, 1, 1.05, 1]), [])
            of = "ring all-reduce: computing of worker"
            self.assertEqual(written([1, 2.5, 1, 2.45]), ["workers 1, 3\n2.5\N{MULTIPLICATION SIGN}", f"{of} 1", f"{of} 3"])
            self.assertEqual(written([1, 2, 2, 2]), [])  # it's one that is fast
            self.assertNotEqual(written([1, 1, 1, 2.5]), [])
            served = point["scenario"] | {"algorithm": point["scenario"]["algorithm"] | {"servers": 1}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [{"scenario": served, "environment": {"recorded_workers": 3}}]}))
            self.assertEqual(written([1, 1, 1, 2.5]), [])  # one was lost, so rank 3 is a server
            (Path(folder) / "trace.json").write_text('{"traceEvents": [')
            self.assertRaises(ResultError, draw, "breakdown", Path(folder))
            (Path(folder) / "trace.json").unlink()
            self.assertEqual(list(panel(draw("breakdown", Path(folder)), "VGG-16").texts), [])

    def test_a_stragglers_name_lies_on_no_bar(self):
        header, *rows = SUMMARY.read_text().splitlines()
        rows = [line for line in rows if ",vgg16," in line]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "summary.csv").write_text("\n".join([header, *rows]))
            points = [{"scenario": {"algorithm": {"name": line.split(",")[6]}, "workers": int(line.split(",")[7]), "model": "vgg16"}}
                      for line in rows]
            (Path(folder) / "run.json").write_text(json.dumps({"points": points}))
            spans = [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1e6 * (2 if rank in (1, 2) else 1), "args": {"point": point, "rank": rank}}
                     for point in (3, len(rows) - 1) for rank in range(points[point]["scenario"]["workers"])]
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            for width in style.WIDTHS:
                figure = draw("breakdown", Path(folder), width)
                figure.draw_without_rendering()
                axes = panel(figure, "VGG-16")
                self.assertEqual([text.get_rotation() for text in axes.texts], [90, 90])
                self.assertEqual({text.get_text() for text in axes.texts}, {"workers 1, 2: 2\N{MULTIPLICATION SIGN}"})
                for text in axes.texts:
                    name = text.get_window_extent()
                    self.assertLess(name.y1, axes.bbox.y1, (width, text.get_text()))
                    beside = [bar for bar in axes.patches if bar.get_window_extent().overlaps(name)]
                    self.assertEqual(beside, [], (width, text.get_text()))

    def swept(self, algorithms: list[str], worker_counts: list[int], width: str):
        """A figure, laid out, of a sweep in which the second worker is slow, the more so with the later algorithms."""
        points = [(algorithm, workers) for algorithm in algorithms for workers in worker_counts]
        with tempfile.TemporaryDirectory() as folder:
            rows = [f"x,{algorithm},{workers},1,0.5,1.5" for algorithm, workers in points]
            header = "model,algorithm,workers,compute_s,exposed_communication_s,iteration_s"
            (Path(folder) / "summary.csv").write_text("\n".join([header, "x,none,1,1,0,1", *rows]))
            run = [{"scenario": {"algorithm": {"name": algorithm}, "workers": workers, "model": "x"}}
                   for algorithm, workers in [("none", 1), *points]]
            (Path(folder) / "run.json").write_text(json.dumps({"points": run}))
            spans = [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1e6 * (2 + algorithms.index(algorithm) if rank == 1 else 1),
                      "args": {"point": point, "rank": rank}}
                     for point, (algorithm, workers) in enumerate(points, start=1) for rank in range(workers)]
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            figure = draw("breakdown", Path(folder), width)
        figure.draw_without_rendering()
        return figure, panel(figure, "x")

    def test_stragglers_names_lie_on_no_other(self):
        algorithms = ["ring", "parameter_server", "local_sgd_2", "sgp"]
        for count, most, width, named, said in ((4, 6, "double", 24, ""), (4, 6, "single", 6, "the slowest worker is named"),
                                                (1, 6, "single", 6, ""), (4, 30, "single", 0, "no room to name workers")):
            figure, axes = self.swept(algorithms[:count], [2 + i for i in range(most)], width)
            boxes = [text.get_window_extent() for text in axes.texts]
            self.assertEqual([(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)], [])
            self.assertEqual([bar for bar in axes.patches for box in boxes if bar.get_window_extent().overlaps(box)], [])
            self.assertEqual(len(boxes), named)
            if named == 6:
                self.assertEqual({text.get_text()[-2:] for text in axes.texts}, {f"{count + 1}\N{MULTIPLICATION SIGN}"})
            self.assertIn(said, " ".join(text.get_text().replace("\n", " ") for text in figure.texts))
            self.assertEqual(sum(row["mark"] == "straggler" for row in table_rows(figure)), count * most)

    def test_bars_of_a_number_of_workers_are_around_its_tick(self):
        _, axes = self.swept(["ring", "parameter_server"], [2, 4], "single")
        middles = {bar.get_gid().split(":")[0]: bar.get_x() + bar.get_width() / 2 for bar in axes.patches if bar.get_x() < 1.5}
        self.assertEqual({name: round(at, 6) for name, at in middles.items()},
                         {"single worker": 0, "ring all-reduce": round(1 - 0.4 / 3, 6), "parameter server": round(1 + 0.4 / 3, 6)})

    def test_parts_that_are_not_seen_are_not_named(self):
        figure, _ = self.swept(["ring"], [2], "single")
        self.assertEqual(legend_texts(figure), ["compute", "exposed communication", "single worker", "ring all-reduce"])

    def test_legend_names_parts_and_series(self):
        self.assertEqual(legend_texts(draw("breakdown")),
                         ["compute", "exposed communication", "parameter server", "ring all-reduce"])


class MemberBreakdownTest(unittest.TestCase):
    def test_parts_of_each_member_by_cause(self):
        figure = KINDS["breakdown"].draw([str(HERE / "reference" / "results" / "job")], "single", 2)
        self.assertEqual(legend_texts(figure), ["forward", "backward", "update", "waiting for ring all-gather",
                                                "waiting for ring all-reduce"])
        shown = {(row["series"], row["x_text"]): float(row["to"]) - float(row["from"]) for row in table_rows(figure)}
        self.assertEqual(shown["backward", "worker 1"], 14)
        self.assertEqual(shown["backward", "worker 2"], 18)
        self.assertEqual(shown["waiting for ring all-reduce", "worker 2"], 16)
        self.assertEqual([text.get_text() for axes in figure.axes for text in axes.texts], ["1.17\N{MULTIPLICATION SIGN}"])
        self.assertEqual([text.get_text() for text in figure.texts][-1:], ["\N{MULTIPLICATION SIGN}: times as long as the others compute in the median."])

    def test_causes_that_are_not_seen_are_not_named(self):
        with tempfile.TemporaryDirectory() as folder:
            point = {"scenario": {"algorithm": {"name": "none"}, "workers": 1, "model": "x"}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            spans = [{"ph": "X", "tid": 0, "name": phase, "ts": begin, "dur": time, "args": {"point": 0, "rank": 0, "phase": phase}}
                     for phase, begin, time in (("forward", 0, 1e6), ("update", 1e6, 10), ("backward", 1e6 + 10, 2e6))]
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            self.assertEqual(legend_texts(KINDS["breakdown"].draw([folder], "single", 1)), ["forward", "backward"])

    def test_workers_that_are_as_slow_are_all_marked(self):
        with tempfile.TemporaryDirectory() as folder:
            point = {"scenario": {"algorithm": {"name": "all_reduce"}, "workers": 4, "model": "vgg16"}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            spans = [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": time, "args": {"point": 0, "rank": rank}}
                     for rank, time in enumerate([3e6, 1e6, 1e6, 3e6])]
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            figure = KINDS["breakdown"].draw([folder], "single", 1)
        self.assertEqual([(text.xy[0], text.get_text()) for axes in figure.axes for text in axes.texts],
                         [(0, "3\N{MULTIPLICATION SIGN}"), (3, "3\N{MULTIPLICATION SIGN}")])


if __name__ == "__main__":
    unittest.main()
