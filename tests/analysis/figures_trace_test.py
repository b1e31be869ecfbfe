"""What the figures of a trace show: spans, shares of time, operations; and of which point."""

import json
import tempfile
import unittest
from io import BytesIO
from pathlib import Path

import context  # noqa: F401  (which puts analysis/ on the path)
import crowded
import numpy
import runs
import style
from figure import draw, legend_texts, lines, notes, panel, table_rows, titles
from PIL import Image
from figures import KINDS, OF_ONE_POINT
from results import ResultError
from sampled import NOT_RECORDED, merged, shares


def area(shape) -> float:
    """Of a polygon, by its corners, of which the first is the last again."""
    return abs(sum(x * next_y - next_x * y for (x, y), (next_x, next_y) in zip(shape, shape[1:]))) / 2


class UtilisationTest(unittest.TestCase):
    def test_shares_over_time(self):
        axes = panel(draw("utilisation"), "ZeRO-0")
        shown = lines(axes)
        self.assertEqual([round(y, 6) for y in shown["computing"][1]], [50] * 30 + [0] * 30)
        self.assertEqual([round(y, 6) for y in shown["sending or receiving"][1]], [0] * 30 + [100] * 30)
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("time (\N{MICRO SIGN}s)", "busy members (%)"))
        self.assertEqual((list(axes.get_yticks()), axes.get_xlim()), ([0, 50, 100], (0, 60)))

    def test_many_points_find_room_on_a_page(self):
        for count, width, columns in ((4, "single", 1), (9, "single", 1), (12, "single", 2), (12, "double", 3), (24, "double", 3)):
            figure = self.drawn(*[(2 + i, 1, 3 + i) for i in range(count)], width=width)
            self.assertLessEqual(figure.get_figheight(), style.PAGE, (count, width))
            self.assertEqual(figure.axes[0].get_gridspec().ncols, columns)
        self.assertGreater(self.drawn(*[(2 + i, 1, 3 + i) for i in range(60)]).get_figheight(), style.PAGE)

    def drawn(self, *jobs: tuple[int, int, int], seconds: float = 1, width: str = "double"):
        """A figure of jobs of so many workers and servers, of which the trace shows so many; each takes `seconds` times as long as the one before."""
        def span(point: int, rank: int) -> dict:
            # The last one only waits.
            return {"ph": "X", "tid": 1 if rank == jobs[point][2] - 1 else 0, "name": "x", "ts": 0, "dur": seconds ** point * 1e6,
                    "args": {"point": point, "rank": rank}}

        points = [{"scenario": {"algorithm": {"name": "parameter_server", "servers": servers}, "workers": workers, "model": "x"}}
                  for workers, servers, _ in jobs]
        with tempfile.TemporaryDirectory() as folder:
            spans = [span(point, rank) for point, (*_, shown) in enumerate(jobs) for rank in range(shown)]
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            (Path(folder) / "run.json").write_text(json.dumps({"points": points}))
            return draw("utilisation", Path(folder), width)

    def noted(self, *jobs: tuple[int, int, int]) -> str:
        return " ".join(notes(self.drawn(*jobs)))

    def test_what_a_step_is_and_100_percent_are_is_noted(self):
        step = " A step is the mean over a 60th of the time shown."
        self.assertEqual(self.noted((2, 1, 3), (3, 1, 4)), "100 %: all workers and servers are busy." + step)
        self.assertEqual(self.noted((100, 1, 65)), "100 %: all of the 65 members that the trace shows are busy; the job has more." + step)
        self.assertEqual(self.noted((100, 1, 64), (200, 1, 64)), "100 %: all of the 64 members that the trace shows are busy; jobs have more." + step)
        self.assertEqual(self.noted((2, 1, 3), (100, 1, 65)), "100 %: all workers and servers are busy; of parameter server, 100 workers, "
                                                              "all of the 65 members that the trace shows." + step)

    def test_panels_have_one_unit(self):
        axes = [axes for axes in self.drawn((2, 0, 2), (3, 0, 3), (4, 0, 4), seconds=0.05).axes if axes.get_title()]
        self.assertEqual([(one.get_xlabel(), round(one.get_xlim()[1], 9)) for one in axes], [("time (s)", 1), ("time (s)", 0.05), ("time (s)", 0.0025)])

    def test_a_member_that_only_waits_is_not_busy(self):
        (axes,) = [axes for axes in self.drawn((3, 1, 4)).axes if axes.get_title()]
        self.assertEqual({round(share) for share in lines(axes)["computing"][1]}, {75})

    def test_spans_that_overlap_count_once(self):
        covered = shares(merged([(0, 5), (2, 6), (9, 10)], 0), [0, 5, 10])
        self.assertEqual([round(share, 9) for share in covered], [1, 0.4])


class NotRecordedTest(unittest.TestCase):
    """A member may be in an iteration that the trace has while another is in one that it has not."""

    def drawn(self, kind: str, spans: list[tuple], count: int | None = 21, resumed: int | None = None, **scenario):
        """Of spans of a rank and iteration, or of none, in a lane, from and to so many seconds; of a job of `count` iterations, if that is known."""
        events = [{"ph": "X", "tid": lane, "name": "x", "ts": begin * 1e6, "dur": (end - begin) * 1e6,
                   "args": {"point": 0, "rank": rank} | ({} if iteration is None else {"iteration": iteration})}
                  for rank, iteration, lane, begin, end in spans]
        point = {"scenario": {"algorithm": {"name": "none"}, "workers": 2, "model": "x"} | scenario}
        if resumed is not None:
            point["environment"] = {"checkpoints": {"resumed_after_iterations": resumed, "iterations_recorded_from": 0}}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": events}))
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            if count is not None:
                (Path(folder) / "iterations.csv").write_text("\n".join(["point,iteration", *(f"0,{i}" for i in range(count))]))
            return draw(kind, Path(folder))

    def unrecorded(self, spans: list[tuple], **job) -> list[tuple[str, str, str]]:
        figure = self.drawn("timeline", spans, **job)
        rows = [(row["series"], row["from"], row["to"]) for row in table_rows(figure)]
        told = [row for row in rows if row[0].endswith(": not recorded")]
        self.assertEqual("not recorded" in legend_texts(figure), bool(told))
        patches = [patch for axes in figure.axes for patch in axes.patches if patch.get_label() == "not recorded"]
        self.assertEqual((bool(patches), all(patch.get_hatch() for patch in patches)), (bool(told), True))
        return told

    def test_between_iterations_that_do_not_follow_each_other(self):
        # Of every tenth iteration: worker 0 is in the first and 10th, and then in the 11th, when worker 1 is in the 10th yet.
        ahead = [(0, 0, 0, 0, 1), (0, 10, 0, 10, 11), (1, 0, 0, 0, 1), (1, 10, 0, 10.5, 13)]
        self.assertEqual(self.unrecorded(ahead, trace={"every": 10}),
                         [("worker 0: not recorded", "2", "4"), ("worker 1: not recorded", "1", "1.5")])

    def test_nothing_is_done_before_the_first_and_after_the_last_iteration_of_the_job(self):
        spans = [(0, 0, 0, 0, 1), (0, 1, 1, 1.5, 2), (1, 0, 0, 0.5, 1), (1, 1, 0, 2, 3)]
        self.assertEqual(self.unrecorded(spans, count=2), [])
        self.assertEqual(self.unrecorded(spans, count=3), [("worker 0: not recorded", "2", "3")])
        later = [(rank, iteration + 1, *rest) for rank, iteration, *rest in spans]
        self.assertEqual(self.unrecorded(later, count=3), [("worker 1: not recorded", "0", "0.5")])

    def test_the_last_iteration_is_the_one_that_was_the_last_whatever_the_scenario_says(self):
        spans = [(0, 0, 0, 0, 1), (0, 1, 0, 1, 2), (1, 0, 0, 0, 1), (1, 1, 0, 1, 4)]
        for scenario in ({"epochs": 1, "warmup_iterations": 0}, {"iterations": 5, "warmup_iterations": 0}, {"iterations": 1, "warmup_iterations": 0}):
            self.assertEqual(self.unrecorded(spans, count=2, **scenario), [], scenario)
            self.assertEqual(self.unrecorded(spans, count=None, **scenario), [], scenario)
            self.assertEqual(self.unrecorded(spans, count=3, **scenario), [("worker 0: not recorded", "2", "4")], scenario)
        axes = panel(self.drawn("utilisation", spans, count=2, epochs=1), "single worker")
        self.assertEqual([round(y, 6) for y in lines(axes)["computing"][1]], [100] * 30 + [50] * 30)

    def test_a_resumed_run_does_nothing_before_the_iteration_that_it_begins_with(self):
        spans = [(0, 7, 0, 0, 1), (0, 8, 0, 1, 2), (1, 7, 0, 1, 2), (1, 8, 0, 2, 3)]
        self.assertEqual(self.unrecorded(spans, count=9, resumed=7), [])
        self.assertEqual(self.unrecorded(spans, count=9, resumed=6), [("worker 1: not recorded", "0", "1")])

    def test_each_point_has_its_own_last_iteration(self):
        spans = [{"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1e6 * (rank + 1), "args": {"point": point, "rank": rank, "iteration": 0}}
                 for point in (0, 1) for rank in (0, 1)]
        points = [{"scenario": {"algorithm": {"name": "none"}, "workers": 2, "model": "x", "batch_size": batch}} for batch in (1, 2)]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            (Path(folder) / "run.json").write_text(json.dumps({"points": points}))
            for header, row, told in (("point,iteration", "{},{}", [[], ["worker 0: not recorded"]]), ("model,iteration", "x,{1}", [[], []])):
                rows = [row.format(point, iteration) for point, iteration in ((0, 0), (1, 0), (1, 1))]
                (Path(folder) / "iterations.csv").write_text("\n".join([header, *rows]))
                for point in (1, 2):
                    shown = {row["series"] for row in table_rows(KINDS["timeline"].draw([folder], "double", point))}
                    self.assertEqual([name for name in shown if name.endswith("not recorded")], told[point - 1], header)

    def test_a_message_that_takes_longer_than_its_iteration_hides_nothing(self):
        spans = [(0, 0, 0, 0, 1), (0, 0, 2, 0.5, 3), (1, 0, 0, 0, 2)]
        self.assertEqual(self.unrecorded(spans), [("worker 0: not recorded", "1", "2")])

    def stretches(self, spans: list[tuple], **job) -> tuple[list[tuple], list[float], float]:
        """What the members do, when each stretch begins but the first, and where the time ends; the figures over time have the same."""
        axes = {kind: next(axes for axes in self.drawn(kind, spans, **job).axes if axes.get_title()) for kind in ("timeline", "utilisation")}
        ends = [([round(line.get_xdata()[0], 9) for line in one.get_lines() if line.get_label().startswith("_")], round(one.get_xlim()[1], 9))
                for one in axes.values()]
        self.assertEqual(ends[0], ends[1])
        rows = [(row.series.removeprefix("worker "), round(row.low, 9), round(row.high, 9)) for row in axes["timeline"].told]
        return [row for row in rows if not row[0].endswith(NOT_RECORDED)], *ends[0]

    def test_time_is_left_out_in_which_nobody_is_recorded_whatever_the_iterations_numbers_are(self):
        # Worker 1 is in iteration 10 before worker 0 is; nobody is from 1 to 6, from 8 to 20, and from 22 on.
        spans = [(0, 0, 0, 0, 1), (0, 10, 0, 20, 22), (1, 0, 0, 0, 0.5), (1, 10, 0, 6, 8)]
        done = [("0: computing", 0, 1), ("0: computing", 3, 5), ("1: computing", 0, 0.5), ("1: computing", 1, 3)]
        self.assertEqual(self.stretches(spans, trace={"every": 10}), (done, [1, 3], 5))
        self.assertEqual(self.stretches([(0, 4, 0, 0, 1), (1, 4, 0, 5, 6)]), ([("0: computing", 0, 1), ("1: computing", 1, 2)], [1], 2))

    def test_a_message_goes_on_where_the_next_stretch_begins_and_ends_with_the_last(self):
        spans = [(0, 0, 0, 0, 1), (0, 0, 2, 0.5, 20.5), (0, 10, 0, 20, 22), (0, 10, 2, 21, 30)]
        self.assertEqual(self.stretches(spans, trace={"every": 10}),
                         ([("0: computing", 0, 3), ("0: sending or receiving", 0.5, 1.5), ("0: sending or receiving", 2, 3)], [1], 3))

    def test_time_is_left_out_in_which_nobody_who_is_drawn_is_recorded(self):
        spans = [(rank, iteration, 0, end - 1, end) for rank in range(9) for iteration, end in ((0, 1), (10, 31))] + [(8, 10, 1, 20, 30)]
        figure = self.drawn("timeline", spans, trace={"every": 10}, workers=9)
        self.assertEqual([axes.get_xlim() for axes in figure.axes if axes.get_title()], [(0, 2)])

    def test_a_trace_that_does_not_say_what_its_iterations_are_hides_nothing(self):
        self.assertEqual(self.unrecorded([(0, None, 0, 0, 1), (1, None, 0, 2, 3)]), [])

    def test_shares_are_of_those_that_are_recorded(self):
        # The first computes until 30 and waits until 60; the second is not recorded until 30, and computes for 15 s.
        spans = [(0, 0, 0, 0, 30), (0, 0, 1, 30, 60), (1, 1, 0, 30, 45), (1, 1, 1, 45, 60), (1, 1, 2, 0, 60)]
        figure = self.drawn("utilisation", spans, count=2)
        axes = panel(figure, "single worker")
        shown = lines(axes)
        self.assertEqual([round(y, 6) for y in shown["computing"][1]], [100] * 30 + [50] * 15 + [0] * 15)
        self.assertEqual([round(y, 6) for y in shown["sending or receiving"][1]], [0] * 30 + [50] * 30)
        self.assertEqual(legend_texts(figure), ["computing", "sending or receiving", "not recorded"])
        rows = [(row["from"], row["to"]) for row in table_rows(figure) if row["series"] == "not recorded"]
        self.assertEqual(rows, [("50", "100")] * 30)
        self.assertIn("Shares are of the members that are recorded at the time", " ".join(text.get_text() for text in figure.texts))

    def test_where_nobody_is_recorded_no_time_is_shown(self):
        figure = self.drawn("utilisation", [(0, 0, 0, 0, 30), (0, 0, 2, 0, 60)])
        self.assertEqual({round(float(row["to"])) for row in table_rows(figure) if row["series"] == "computing"}, {100})


class TimelineTest(unittest.TestCase):
    def test_spans_of_each_member(self):
        rows = table_rows(draw("timeline"))
        self.assertEqual([(row["series"], row["mark"], row["from"], row["to"]) for row in rows],
                         [("worker 0: computing", "span", "0", "30"),
                          ("worker 0: sending or receiving", "span", "30", "60"),
                          ("worker 1: sending or receiving", "span", "30", "60")])
        self.assertEqual({(row["panel"], row["x_axis"]) for row in rows}, {("ZeRO-0, 4 workers, bert", "time (\N{MICRO SIGN}s)")})
        self.assertEqual(legend_texts(draw("timeline")), ["computing", "sending or receiving"])

    def test_of_every_tenth_iteration_the_time_between_is_left_out(self):
        def span(rank: int, iteration: int, begin: float) -> dict:
            return {"ph": "X", "tid": 0, "name": "x", "ts": begin, "dur": 1e6, "args": {"point": 0, "rank": rank, "iteration": iteration}}

        with tempfile.TemporaryDirectory() as folder:
            spans = [span(rank, iteration, iteration * 1e6 + 0.5e6 * rank) for rank in (0, 1) for iteration in (2, 12, 22)]
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            point = {"scenario": {"algorithm": {"name": "none"}, "workers": 2, "model": "x", "trace": {"every": 10}}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            for kind, title in (("timeline", "single worker, 2 workers, x"), ("utilisation", "single worker")):
                axes = panel(draw(kind, Path(folder)), title)
                self.assertEqual(axes.get_xlabel(), "time (s) in one of every 10 iterations")
                breaks = [line.get_xdata()[0] for line in axes.get_lines() if line.get_label().startswith("_")]
                self.assertEqual([round(at, 9) for at in breaks], [1.5, 3])
            rows = table_rows(draw("timeline", Path(folder)))
        self.assertEqual([(row["from"], row["to"]) for row in rows if row["series"] == "worker 1: computing"],
                         [("0.5", "1.5"), ("2", "3"), ("3.5", "4.5")])

    def test_several_results_have_one_axis(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, seconds in (("predicted", 0.5), ("measured", 2)):
                result = Path(folder) / name
                result.mkdir()
                span = {"ph": "X", "tid": 0, "name": "x", "ts": 7e6, "dur": seconds * 1e6, "args": {"point": 0, "rank": 0}}
                (result / "trace.json").write_text(json.dumps({"traceEvents": [span]}))
                environment = {"executor": "exact"} if name == "predicted" else {}
                (result / "run.json").write_text(json.dumps({"points": [{"scenario": {"algorithm": {"name": "none"}, "workers": 1, "model": "x"},
                                                                         "environment": environment}]}))
            figure = KINDS["timeline"].draw([f"{folder}/predicted", f"{folder}/measured"], "single")
        self.assertEqual([(axes.get_xlim(), axes.get_xlabel()) for axes in figure.axes if axes.get_title()], [((0, 2), "time (s)")] * 2)
        self.assertEqual([(row["panel"], row["from"], row["to"]) for row in table_rows(figure)],
                         [("single worker, 1 worker, x, simulated", "0", "0.5"), ("single worker, 1 worker, x, real", "0", "2")])

    def test_a_trace_of_nothing_that_takes_time_is_empty(self):
        for begins in ((0,), (5e6,), (0, 1)):
            with tempfile.TemporaryDirectory() as folder:
                spans = [{"ph": "X", "tid": 0, "name": "x", "ts": begin, "dur": 0, "args": {"point": 0, "rank": 0}} for begin in begins]
                (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
                (Path(folder) / "run.json").write_text(json.dumps({"points": [{"scenario": {"algorithm": {"name": "none"}, "workers": 1, "model": "x"}}]}))
                figure = draw("timeline", Path(folder))
                figure.draw_without_rendering()
            self.assertEqual((panel(figure, "single worker, 1 worker, x").get_xlim(), table_rows(figure)), ((0, 1), []))

    def test_spans_that_touch_or_overlap_are_one_stretch(self):
        self.assertEqual(merged([(4, 5), (0, 1), (1.5, 2), (1, 1), (0, 0.5), (2, 3)], 0), [(0, 1), (1.5, 3), (4, 5)])

    def turns(self, folder: str, count: int):
        """Of a member that computes for two of five parts of each of so many seconds, and waits for the others."""
        spans = [{"ph": "X", "tid": tid, "name": "x", "ts": (second + begin) * 1e6, "dur": length * 1e6, "args": {"point": 0, "rank": 0}}
                 for second in range(count) for tid, begin, length in ((0, 0, 0.4), (1, 0.4, 0.6))]
        (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
        (Path(folder) / "run.json").write_text(json.dumps({"points": [{"scenario": {"algorithm": {"name": "none"}, "workers": 1, "model": "x"}}]}))
        return draw("timeline", Path(folder))

    def test_stretches_too_short_to_be_seen_have_their_shares(self):
        for count, told in ((5, False), (1200, True)):
            with tempfile.TemporaryDirectory() as folder:
                figure = self.turns(folder, count)
            axes = panel(figure, "single worker, 1 worker, x")
            areas = {patch.get_label(): sum(area(shape) for shape in patch.get_path().to_polygons()) for patch in axes.patches}
            self.assertAlmostEqual(areas["computing"] / sum(areas.values()), 0.4)
            self.assertAlmostEqual(sum(areas.values()) / axes.get_xlim()[1], 0.42)  # none covers another
            self.assertEqual(any("shares of the time" in text.get_text() for text in figure.texts), told)
            self.assertLess(sum(len(patch.get_path().vertices) for patch in axes.patches), 1000)
            rows = [row for row in table_rows(figure) if row["series"] == "worker 0: computing"]
            scale = axes.get_xlim()[1] / count
            self.assertEqual(len(rows), count)
            self.assertAlmostEqual(sum(float(row["to"]) - float(row["from"]) for row in rows), 0.4 * count * scale, places=4)

    def iterations(self, parts: list[tuple[int, float, float]], lengths: list[float], first: float = 0, width: str = "double"):
        """The panel of a server whose iterations take so long and have the same parts, each of a lane, from and to these shares.

        A worker is in the first from the start on.
        """
        spans, begin = [], first
        for iteration, length in enumerate(lengths):
            spans += [{"ph": "X", "tid": lane, "name": "x", "ts": (begin + low * length) * 1e6, "dur": (high - low) * length * 1e6,
                       "args": {"point": 0, "rank": 1, "iteration": iteration}} for lane, low, high in parts]
            begin += length
        spans += [{"ph": "X", "tid": 1, "name": "x", "ts": 0, "dur": begin * 1e6, "args": {"point": 0, "rank": 0, "iteration": 0}}]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            point = {"scenario": {"algorithm": {"name": "parameter_server", "servers": 1}, "workers": 1, "model": "x"}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            figure = draw("timeline", Path(folder), width)
        return figure, panel(figure, "parameter server, 1 worker, x")

    def test_iterations_that_are_alike_have_the_same_shares(self):
        # Turns that are as long as some columns are wide: on columns that iterations don't begin with, their shares differ.
        turns = [(lane, i / 100 + begin, i / 100 + end) for i in range(100)
                 for lane, begin, end in ((1, 0, 0.006), (0, 0.006, 0.01))]
        for lengths, first in (([1] * 3, 0.013), ([1] * 7, 0), ([1] * 16, 0.3), ([0.001] * 500, 0), ([1] * 2, 0.0005)):
            _, axes = self.iterations(turns, lengths, first)
            (computing,) = [patch for patch in axes.patches if patch.get_label() == "computing"]
            scale = axes.get_xlim()[1] / (first + sum(lengths))
            starts = [scale * (first + i * lengths[0]) for i in range(len(lengths))]
            corners = [(x, y) for x, y in computing.get_path().vertices if y < 1]
            if lengths[0] == 1:
                of = [sorted({(round((x - start) / scale, 6), round(y, 6)) for x, y in corners
                              if start + 1e-6 < x < start + scale - 1e-6}) for start in starts]
                self.assertTrue(all(of))
                self.assertEqual([one for one in of if one != of[0]], [])
            else:  # shorter than a column
                self.assertEqual({round(y, 6) for _, y in corners}, {0.5, 0.5 + round(0.42 * 0.4, 6)})

    def test_the_first_of_iterations_shorter_than_a_column_has_none_alone(self):
        whole = 400 * 0.3
        ends = crowded.columns([0.3 * i for i in range(400)] + [whole], whole)
        self.assertEqual({round(end - begin, 6) for begin, end in zip(ends, ends[1:])}, {1.2})

    def test_a_stretch_too_short_to_be_seen_is_as_wide_in_every_iteration(self):
        parts = [(1, 0, 0.3), (0, 0.3, 0.3001), (1, 0.3001, 1), (2, 0.1, 0.5), (2, 0.5001, 0.7)]
        for width in style.WIDTHS:
            figure, axes = self.iterations(parts, [1] * 7, 0.013, width)
            picture = BytesIO()
            figure.savefig(picture, format="png", dpi=300)
            rgb = numpy.asarray(Image.open(picture).convert("RGB"), int)
            below, above = (rgb.shape[0] - round(300 / figure.dpi * axes.transData.transform((0, y))[1]) for y in (0.25, 0.7))
            is_blue = (rgb[above, :, 2] - rgb[above, :, 0] > 60).astype(int)
            widths = numpy.flatnonzero(numpy.diff(is_blue) < 0) - numpy.flatnonzero(numpy.diff(is_blue) > 0)
            self.assertEqual((len(widths), len(set(widths))), (7, 1))
            is_red = (rgb[below, :, 0] - rgb[below, :, 2] > 60).astype(int)
            self.assertEqual((numpy.diff(is_red) > 0).sum(), 7, "gaps that are not seen")

    def test_of_many_members_a_slow_one_is_among_those_that_are_shown(self):
        point = {"scenario": {"workers": 12, "algorithm": {"servers": 2}}}
        ranks = set(range(14))
        self.assertEqual(runs.some_members(point, ranks), [*range(7), 12])
        self.assertEqual(runs.some_members(point, ranks, {11, 3, 99}), [*range(6), 11, 12])
        self.assertEqual(runs.some_members(point, ranks, ranks), [*range(7), 12])
        self.assertEqual(runs.some_members(point, set(range(8)), {7}), [*range(8)])

    def test_each_panel_says_how_many_members_it_draws(self):
        points = [{"scenario": {"workers": workers, "algorithm": {"name": "none"}}} for workers in (4, 16, 16)]
        self.assertEqual(runs.members_drawn(["a", "b"], points, [[0, 1, 2, 3], list(range(8))]), ["b: 8 of 16 workers drawn."])
        self.assertEqual(runs.members_drawn(["b", "c"], points[1:], [list(range(8))] * 2), ["8 of 16 workers drawn."])

    def test_of_many_members_some_workers_and_a_server_are_shown_and_the_figure_says_so(self):
        def spans(rank: int) -> dict:
            return {"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1e6, "args": {"point": 0, "rank": rank}}

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": [spans(rank) for rank in range(22)]}))
            point = {"scenario": {"algorithm": {"name": "parameter_server", "servers": 2}, "workers": 20, "model": "x"}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            figure = draw("timeline", Path(folder))
            axes = panel(figure, "parameter server, 20 workers, x")
            by_member = KINDS["breakdown"].draw([folder], "single", 1)
            for many, said in ((16, "8 of 16 workers drawn."), (8, None)):
                (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": [spans(rank) for rank in range(many)]}))
                (Path(folder) / "run.json").write_text(json.dumps({"points": [{"scenario": point["scenario"] | {"workers": many, "algorithm": {"name": "none"}}}]}))
                self.assertEqual(notes(draw("timeline", Path(folder))), [said] if said else [])
        for one in (figure, by_member):
            self.assertEqual(notes(one), ["7 of 20 workers and 1 of 2 servers drawn."])
        self.assertEqual([tick.get_text() for tick in axes.get_yticklabels()],
                         [*(f"worker {rank}" for rank in range(7)), "server 0"])


class CommunicationTest(unittest.TestCase):
    def test_few_operations_have_narrow_bars_and_the_point_its_name(self):
        for width in style.WIDTHS:
            figure = draw("communication", width=width)
            for axes in (axes for axes in figure.axes if axes.patches):
                low, high = axes.get_xlim()
                self.assertLess(axes.patches[0].get_width() / (high - low), 0.2)
            self.assertIn("ZeRO-0, 4 workers, bert", notes(figure))

    def test_counts_have_whole_ticks(self):
        axes = next(axes for axes in draw("communication").axes if axes.get_ylabel() == "count")
        self.assertEqual([tick for tick in axes.get_yticks() if tick % 1], [])


class PointTest(unittest.TestCase):
    def sweep(self, folder: str) -> Path:
        """Three points of 2, 3, 4 workers, of which the first computes for one second, ...; the third has no trace."""
        point = {"algorithm": {"name": "all_reduce", "collective": "ring"}, "model": "resnet50"}
        (Path(folder) / "run.json").write_text(json.dumps({"points": [{"scenario": point | {"workers": n}} for n in (2, 3, 4)]}))
        spans = [{"ph": "X", "tid": tid, "name": "ring", "ts": 0, "dur": (point + 1) * 1e6,
                  "args": {"point": point, "rank": rank, "bytes": 10 ** (point + 3), "message": 1}}
                 for point in (0, 1) for rank in range(point + 2) for tid in (0, 2)]
        (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
        rows = [f"{point},link,a,b,1000,{point},0.5" for point in (0, 1)]
        (Path(folder) / "topology.csv").write_text("\n".join(["point,link,from,to,bytes_per_s,bytes,share", *rows]))
        rows = [f"{point},{rank},0,1,0,1,5,5,5,5" for point in (0, 1) for rank in range(point + 2)]
        (Path(folder) / "traffic.csv").write_text("\n".join(["point,rank,iteration,iterations,begin_s,end_s,sent_bytes,received_bytes,"
                                                             "sent_packets,received_packets", *rows]))
        rows = [f"resnet50,ring,{workers},1,1,2" for workers in (2, 3, 4)]
        (Path(folder) / "summary.csv").write_text("\n".join(["model,algorithm,workers,compute_s,exposed_communication_s,iteration_s", *rows]))
        return Path(folder)

    def test_a_figure_of_one_point_shows_the_last_or_the_chosen_one(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.sweep(folder)
            for kind in OF_ONE_POINT:
                def told(*point: int) -> list[str]:
                    figure = KINDS[kind].draw([str(result)], "double", *point)
                    return [text for text in titles(figure) + notes(figure) if text.startswith("ring")]

                model = "" if kind == "utilisation" else ", ResNet-50"
                first, last = [f"ring all-reduce, 2 workers{model}"], [f"ring all-reduce, 3 workers{model}"]
                without = {"utilisation": first + last, "breakdown": []}.get(kind, last)  # a panel a point, a panel a model
                self.assertEqual((told(), told(1), told(2)), (without, first, last), kind)

    def test_two_results_that_are_alike_have_their_folders_names(self):
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for name in ("first", "second"):
                (Path(folder) / name).mkdir()
                results.append(str(self.sweep(f"{folder}/{name}")))
            for kind, panels in (("timeline", 2), ("traffic", 8), ("topology", 2), ("utilisation", 4)):
                told = titles(KINDS[kind].draw(results, "double"))
                self.assertEqual((len(told), len(set(told))), (panels, panels), told)
                self.assertEqual(sum("first" in title for title in told), panels / 2, told)

    def test_devices_and_data_sets_of_a_sweep_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.sweep(folder)
            scenario = {"algorithm": {"name": "all_reduce", "collective": "ring"}, "model": "resnet50", "workers": 4}
            (result / "run.json").write_text(json.dumps({"points": [{"scenario": scenario | {"data": {"name": data}}, "device": device}
                                                                   for device, data in (("k80", "mnist"), ("v100", "fashion_mnist"))]}))
            (result / "summary.csv").unlink()
            figure = KINDS["utilisation"].draw([str(result)], "double")
        self.assertEqual(titles(figure), ["ring all-reduce, K80, MNIST", "ring all-reduce, V100, Fashion-MNIST"])

    def test_devices_that_come_with_more_workers_are_not_named(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.sweep(folder)
            run = json.loads((result / "run.json").read_text())
            for point, device in zip(run["points"], ("k80+v100", "k80+v100+t4", "k80+v100+t4")):
                point["device"] = device
            (result / "run.json").write_text(json.dumps(run))
            figure = KINDS["utilisation"].draw([str(result)], "double")
        self.assertEqual(titles(figure), ["ring all-reduce, 2 workers", "ring all-reduce, 3 workers"])

    def test_a_point_that_is_not_there_or_not_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.sweep(folder)
            for kind in OF_ONE_POINT:
                for number in (0, 4):
                    with self.assertRaisesRegex(ResultError, f"^--point {number}: {folder} has 3 points, counted from 1$"):
                        KINDS[kind].draw([str(result)], "double", number)
                with self.assertRaisesRegex(ResultError, "(trace.json|topology.csv|traffic.csv): shows nothing of point 3"):
                    KINDS[kind].draw([str(result)], "double", 3)


if __name__ == "__main__":
    unittest.main()
