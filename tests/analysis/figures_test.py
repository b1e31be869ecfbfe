"""What the figures show: lines' data, bars' heights, labels, sizes."""

import csv
import json
import tempfile
import unittest
from pathlib import Path

from context import DATA, SUMMARY, edited
import drawn
import style
from data.generate import COMPARISON_COLUMNS
from figures import KINDS, OF_ONE_POINT
from figures.timeline import merged
from figures.utilisation import busy_shares
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from results import ResultError


def draw(kind: str, result: Path = DATA, width: str = "double"):
    return KINDS[kind].draw([str(result)], width)


def panel(figure, title: str):
    return next(axes for axes in figure.axes if axes.get_title() == title)


def lines(axes) -> dict:
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.get_lines()}


def legend_texts(figure) -> list[str]:
    return [text.get_text() for axes in figure.axes if axes.get_legend()
            for text in axes.get_legend().get_texts()]


def column(model: str, algorithm: str, name: str) -> list[float]:
    with open(SUMMARY, newline="", encoding="utf-8") as stream:
        return [float(row[name]) for row in csv.DictReader(stream)
                if row["model"] == model and row["algorithm"] == algorithm]


class SpeedupTest(unittest.TestCase):
    def test_lines_hold_the_speedups_and_the_ideal(self):
        shown = lines(panel(draw("speedup"), "VGG-16"))
        self.assertEqual(shown["ring all-reduce"], ([1, 2, 3, 4, 5, 6], column("vgg16", "ring", "speedup")))
        self.assertEqual(shown["parameter server"][1], column("vgg16", "parameter_server", "speedup"))
        self.assertEqual(shown["ideal"], ([1, 6], [1, 6]))

    def test_a_panel_a_model_and_one_legend(self):
        figure = draw("speedup")
        self.assertEqual([axes.get_title() for axes in figure.axes if axes.get_title()],
                         ["AlexNet", "ResNet-50", "ResNet-152", "VGG-16", "Inception-v3"])
        self.assertEqual(legend_texts(figure), ["parameter server", "ring all-reduce", "ideal"])

    def test_axes_are_named(self):
        axes = panel(draw("speedup"), "VGG-16")
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("workers", "speed-up"))

    def test_a_speedup_that_was_not_measured_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            file = edited(SUMMARY, Path(folder) / "summary.csv", (",0.399144091,", ",,"))
            shown = lines(panel(draw("speedup", file), "AlexNet"))
        self.assertEqual(shown["parameter server"][0], [1, 3, 4, 5, 6])


    def test_the_bands_of_several_seeds_are_error_bars(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            with open(SUMMARY, newline="", encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream))
            for row in rows:
                has_band = row["model"] == "vgg16" and row["algorithm"] == "ring" and row["workers"] != "1"
                row["speedup_low"] = float(row["speedup"]) - 0.25 if has_band else ""
                row["speedup_high"] = float(row["speedup"]) + 0.5 if has_band else ""
            with open(file, "w", newline="", encoding="utf-8") as stream:
                writer = csv.DictWriter(stream, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            figure = draw("speedup", file)
        ends = [segment for bars in panel(figure, "VGG-16").collections for segment in bars.get_segments()]
        self.assertEqual(len(ends), 5)
        for ((_, low), (_, high)), middle in zip(ends, column("vgg16", "ring", "speedup")[1:]):
            self.assertAlmostEqual(low, middle - 0.25)
            self.assertAlmostEqual(high, middle + 0.5)
        self.assertEqual(list(panel(figure, "AlexNet").collections), [])


class FactorsTest(unittest.TestCase):
    def drawn(self, kind: str, workers: list[int], width: str = "single"):
        """A panel of a throughput of 2^0.9 more at each doubling, laid out."""
        rows = [f"vgg16,ring,{n},0.5,{n ** 0.9},{100 * n ** 0.9},{n ** -0.1},0.1" for n in workers]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            file.write_text("\n".join(["model,algorithm,workers,iteration_s,speedup,images_per_s,efficiency,all_reduce_bound_s", *rows]))
            figure = draw(kind, file, width)
        figure.draw_without_rendering()
        return panel(figure, "VGG-16")

    def scales(self, kind: str, workers: list[int]) -> tuple[str, str]:
        axes = self.drawn(kind, workers)
        return axes.get_xscale(), axes.get_yscale()

    def test_workers_that_grow_by_factors_have_such_axes(self):
        doubled = [2 ** power for power in range(11)]
        self.assertEqual([self.scales(kind, doubled) for kind in ("speedup", "scaling", "efficiency")],
                         [("log", "log"), ("log", "log"), ("log", "linear")])
        for workers in ([1, 2, 4, 8, 12, 16], [3, 9, 27], [1, 10, 100]):
            self.assertEqual(self.scales("speedup", workers), ("log", "log"), workers)

    def test_workers_that_grow_by_steps_or_not_far_have_linear_axes(self):
        for workers in ([1, 2, 4, 8], list(range(1, 65)), [1, *range(8, 129, 8)], [1, 64]):
            self.assertEqual(self.scales("speedup", workers), ("linear", "linear"), workers)

    def test_ticks_are_plain_integers_from_one_on(self):
        for width in style.WIDTHS:
            axes = self.drawn("speedup", [2 ** power for power in range(11)], width)
            for axis in (axes.xaxis, axes.yaxis):
                texts = [tick.get_text() for tick in axis.get_ticklabels() if tick.get_text()]
                self.assertGreater(len(texts), 3)
                self.assertEqual(texts[0], "1")
                self.assertTrue(all(text.isdigit() for text in texts), texts)

    def test_figures_within_a_power_of_two_have_ticks_too(self):
        figure, (axes,) = style.panels([""], "single")
        axes.plot([1, 2], [140, 230])
        style.doublings(axes.yaxis)
        self.assertGreater(len([tick for tick in axes.get_yticks() if 140 <= tick <= 230]), 1)

    def test_the_ideal_and_the_bound_are_what_they_were(self):
        shown = lines(self.drawn("speedup", [4, 8, 16, 32, 64]))
        self.assertEqual(shown["ideal"], ([4, 64], [4, 64]))
        # One worker alone takes 0.5 s times its speed-up over n.
        self.assertEqual(shown["bound of any all-reduce"][0], [4, 8, 16, 32, 64])
        for n, bound in zip(*shown["bound of any all-reduce"]):
            self.assertAlmostEqual(bound / min(n, n * 5 * n ** -0.1), 1, 3)


class CalibrationTest(unittest.TestCase):
    def test_the_fit_and_how_far_each_median_is_from_it(self):
        times, errors = draw("calibration").axes[:2]
        self.assertEqual(lines(times)["fit"], ([1, 512, 32768, 1048576], [2e-5, 2e-5, 1.37726e-3, 4.40412e-2]))
        off = [y for line in errors.get_lines() for y in line.get_ydata() if len(line.get_ydata()) == 4]
        self.assertAlmostEqual(off[0], -100 / 21)
        self.assertEqual(off[1], 0)


class BoundTest(unittest.TestCase):
    def test_a_bound_is_drawn_where_the_result_has_one(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            header, *rows = SUMMARY.read_text(encoding="utf-8").splitlines()
            rows = [row for row in rows if ",vgg16,synthetic,ring," in row]
            file.write_text("\n".join([header + ",all_reduce_bound_s", *(row + ",1.808" for row in rows)]))
            shown = lines(panel(draw("speedup", file), "VGG-16"))
        # One worker computes for 0.904 s.
        self.assertEqual(shown["bound of any all-reduce"], ([1, 2, 3, 4, 5, 6], [0.5, 1, 1.5, 2, 2.5, 3]))


class EfficiencyTest(unittest.TestCase):
    def test_lines_are_percents_of_the_ideal(self):
        axes = panel(draw("efficiency"), "VGG-16")
        self.assertEqual(lines(axes)["ring all-reduce"][1], [100 * e for e in column("vgg16", "ring", "efficiency")])
        self.assertEqual(lines(axes)["ideal"][1], [100, 100])
        self.assertEqual(axes.get_ylabel(), "efficiency (%)")


class MemoryTest(unittest.TestCase):
    def test_stages_stack_the_parts(self):
        (axes,) = [axes for axes in draw("memory").axes if axes.patches]
        self.assertEqual([tick.get_text() for tick in axes.get_xticklabels()], [f"ZeRO-{stage}" for stage in range(4)])
        tops = [max(bar.get_y() + bar.get_height() for bar in axes.patches if round(bar.get_x() + 0.35) == stage)
                for stage in range(4)]
        self.assertEqual([round(top, 9) for top in tops], [4.5, 3, 2.25, 1.7])
        self.assertEqual(axes.get_ylabel(), "memory of a worker (GB)")

    def test_parts_that_nobody_holds_are_not_named(self):
        self.assertEqual(legend_texts(draw("memory")),
                         ["weights", "gradients", "optimizer state", "gathered layers", "activations"])


class StalenessTest(unittest.TestCase):
    def test_shares_of_the_updates(self):
        axes = panel(draw("staleness"), "MNIST CNN")
        self.assertEqual(lines(axes), {"asynchronous parameter server, 2 workers": ([0, 1], [25, 75]),
                                       "asynchronous parameter server, 4 workers": ([1, 2, 3], [5, 10, 85])})


class UtilisationTest(unittest.TestCase):
    def test_shares_over_time(self):
        axes = panel(draw("utilisation"), "ZeRO-0")
        shown = lines(axes)
        self.assertEqual([round(y, 6) for y in shown["computing"][1]], [50] * 30 + [0] * 30)
        self.assertEqual([round(y, 6) for y in shown["sending or receiving"][1]], [0] * 30 + [100] * 30)
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("time (us)", "busy members (%)"))
        self.assertEqual((list(axes.get_yticks()), axes.get_xlim()), ([0, 50, 100], (0, 60)))

    def test_what_a_step_is_and_100_percent_are_is_noted(self):
        self.assertIn("100 %: all workers and servers are busy. A step is the mean over a 60th of the time shown.",
                      [text.get_text().replace("\n", " ") for text in draw("utilisation").texts])

    def test_spans_that_overlap_count_once(self):
        shares = busy_shares([(0, 5), (2, 6), (9, 10)], 0, 10, 2)
        self.assertEqual([round(share, 9) for share in shares], [1, 0.4])


class CommunicationTest(unittest.TestCase):
    def test_few_operations_have_narrow_bars_and_the_point_its_name(self):
        for width in style.WIDTHS:
            figure = draw("communication", width=width)
            for axes in (axes for axes in figure.axes if axes.patches):
                low, high = axes.get_xlim()
                self.assertLess(axes.patches[0].get_width() / (high - low), 0.2)
            self.assertIn("ZeRO-0", [text.get_text() for text in figure.texts])

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
        return Path(folder)

    def test_a_figure_of_one_point_shows_the_last_or_the_chosen_one(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.sweep(folder)
            for kind in OF_ONE_POINT:
                def titles(*point: int) -> list[str]:
                    figure = KINDS[kind].draw([str(result)], "double", *point)
                    return [text for text in [*(axes.get_title() for axes in figure.axes), *(text.get_text() for text in figure.texts)]
                            if text.startswith("ring")]

                last, first = ["ring all-reduce, 3 workers"], ["ring all-reduce, 2 workers"]
                self.assertEqual((titles(), titles(1), titles(2)), (first + last if kind == "utilisation" else last, first, last), kind)

    def test_a_point_that_is_not_there_or_not_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.sweep(folder)
            for kind in OF_ONE_POINT:
                for number in (0, 4):
                    with self.assertRaisesRegex(ResultError, f"^--point {number}: {folder} has 3 points, counted from 1$"):
                        KINDS[kind].draw([str(result)], "double", number)
                with self.assertRaisesRegex(ResultError, "(trace.json|topology.csv): shows nothing of point 3"):
                    KINDS[kind].draw([str(result)], "double", 3)


class TimelineTest(unittest.TestCase):
    def test_spans_of_each_member(self):
        rows = list(csv.DictReader(drawn.table(draw("timeline")).splitlines()))
        self.assertEqual([(row["series"], row["mark"], row["from"], row["to"]) for row in rows],
                         [("worker 0: computing", "span", "0", "30"),
                          ("worker 0: sending or receiving", "span", "30", "60"),
                          ("worker 1: sending or receiving", "span", "30", "60")])
        self.assertEqual({(row["panel"], row["x_axis"]) for row in rows}, {("ZeRO-0", "time (us)")})
        self.assertEqual(legend_texts(draw("timeline")), ["computing", "sending or receiving"])

    def test_of_every_tenth_iteration_the_time_between_is_left_out(self):
        def span(rank: int, iteration: int, begin: float) -> dict:
            return {"ph": "X", "tid": 0, "name": "x", "ts": begin, "dur": 1e6, "args": {"point": 0, "rank": rank, "iteration": iteration}}

        with tempfile.TemporaryDirectory() as folder:
            spans = [span(rank, iteration, iteration * 1e6 + 0.5e6 * rank) for rank in (0, 1) for iteration in (2, 12, 22)]
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": spans}))
            point = {"scenario": {"algorithm": {"name": "none"}, "workers": 2, "model": "x", "trace": {"every": 10}}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            for kind in ("timeline", "utilisation"):
                axes = panel(draw(kind, Path(folder)), "single worker")
                self.assertEqual(axes.get_xlabel(), "time (s) in one of every 10 iterations")
                breaks = [line.get_xdata()[0] for line in axes.get_lines() if line.get_label().startswith("_")]
                self.assertEqual([round(at, 9) for at in breaks], [1.5, 3])
            rows = list(csv.DictReader(drawn.table(draw("timeline", Path(folder))).splitlines()))
        self.assertEqual([(row["from"], row["to"]) for row in rows if row["series"] == "worker 1: computing"],
                         [("0.5", "1.5"), ("2", "3"), ("3.5", "4.5")])

    def test_gaps_that_can_not_be_seen_close(self):
        self.assertEqual(merged([(4, 5), (0, 1), (1.5, 2), (1, 1), (0, 0.5)], 1), [(0, 2), (4, 5)])

    def test_of_many_members_some_workers_and_a_server_are_shown(self):
        def spans(rank: int) -> dict:
            return {"ph": "X", "tid": 0, "name": "x", "ts": 0, "dur": 1e6, "args": {"point": 0, "rank": rank}}

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": [spans(rank) for rank in range(22)]}))
            point = {"scenario": {"algorithm": {"name": "parameter_server"}, "workers": 20, "model": "x"}}
            (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
            axes = panel(draw("timeline", Path(folder)), "parameter server")
        self.assertEqual([tick.get_text() for tick in axes.get_yticklabels()],
                         [*(f"worker {rank}" for rank in range(7)), "server 0"])


class TopologyTest(unittest.TestCase):
    def rows(self, result: Path = DATA, width: str = "double") -> list[dict]:
        return list(csv.DictReader(drawn.table(draw("topology", result, width)).splitlines()))

    def star(self, hosts: int, folder: str) -> Path:
        """Hosts on one switch, the last of which is a server."""
        names = [f"host-{number}" for number in range(hosts)]
        lines = [f"0,{name}_{way},{begin},{end},1000,{number},{number / 1000}" for number, name in enumerate(names)
                 for way, begin, end in (("UP", name, "switch 1"), ("DOWN", "switch 1", name))]
        (Path(folder) / "topology.csv").write_text("\n".join(["point,link,from,to,bytes_per_s,bytes,share", *lines]))
        point = {"scenario": {"algorithm": {"name": "parameter_server"}, "workers": hosts - 1, "model": "x"},
                 "environment": {"network": {"hosts": names}}}
        (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
        return Path(folder)

    def test_a_row_a_line_with_its_share(self):
        rows = self.rows()
        self.assertEqual([(row["series"], row["x"], row["from"], row["to"]) for row in rows],
                         [("node-1 (0) - switch 1", "2", "20", "20"), ("node-2 (1) - switch 1", "2", "40", "40"),
                          ("node-3 (2) - switch 2", "2", "60", "60"), ("node-4 (3) - switch 2", "2", "0", "0"),
                          ("switch 1 - bus 3", "1", "", ""), ("switch 2 - bus 3", "1", "", ""), ("bus 3 - bus 3", "1", "90", "90")])
        self.assertEqual({(row["panel"], row["mark"], row["x_axis"]) for row in rows}, {("ZeRO-3", "link", "links")})

    def test_the_more_is_used_the_wider_and_the_darker(self):
        axes = panel(draw("topology"), "ZeRO-3")
        looks = {tuple(line.get_xdata()): (line.get_linewidth(), line.get_color()) for line in axes.get_lines() if len(line.get_xdata()) == 2}
        widths = [width for width, _ in sorted(looks.values())]
        self.assertEqual(widths, sorted(widths))
        loads = [(wide, colour) for _, colour, wide in KINDS["topology"]._LOADS]
        self.assertEqual(loads, sorted(loads, key=lambda load: load[0]))
        luminance = [sum(int(colour[i:i + 2], 16) * part for i, part in ((1, 0.3), (3, 0.59), (5, 0.11))) for _, colour in loads]
        self.assertEqual(luminance, sorted(luminance, reverse=True))
        self.assertTrue(all(before - after > 20 for before, after in zip(luminance, luminance[1:])), luminance)

    def test_marks_and_loads_are_named(self):
        self.assertEqual(legend_texts(draw("topology")),
                         ["carries nothing", "without a limit in common", "0 % to 20 %", "20 % to 40 %", "40 % to 60 %",
                          "80 % to 100 %", "host, by its worker", "switch", "bus"])
        self.assertEqual(panel(draw("topology"), "ZeRO-3").get_xlabel(), "Busiest link: bus, 90.0 % of its capacity.")

    def test_of_many_hosts_like_ones_are_one(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(1000, folder)
            rows = self.rows(result, "single")
            words = panel(draw("topology", result), "parameter server").get_xlabel()
        self.assertEqual([(row["series"], row["x"], row["to"]) for row in rows],
                         [("999 hosts - switch 1", "1998", "99.8"), ("host-999 (s0) - switch 1", "2", "99.9")])
        self.assertIn("1,000 hosts, 1 switch and 2,000 links in all", " ".join(words.split()))

    def test_no_two_places_lie_on_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            for width, hosts in (("single", 34), ("double", 70)):
                axes = panel(draw("topology", self.star(hosts, folder), width), "parameter server")
                places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.get_lines() if line.get_label() == "_place"]
                self.assertEqual(len(places), hosts + 1)
                self.assertEqual(len(set(places)), hosts + 1)

    def test_what_has_no_rows_is_spread_out(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(4, folder)
            ring = [f"0,link-{i},host-{i},host-{(i + 1) % 4},1000,1,0.001" for i in range(4)]
            (result / "topology.csv").write_text("\n".join(["point,link,from,to,bytes_per_s,bytes,share", *ring]))
            axes = panel(draw("topology", result), "parameter server")
        places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.get_lines() if line.get_label() == "_place"]
        apart = min(((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 for i, (ax, ay) in enumerate(places) for bx, by in places[:i])
        self.assertGreater(apart, 0.5)

    def test_folded_workers_are_what_is_to_blame(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(4, folder)
            (result / "topology.csv").unlink()
            with self.assertRaisesRegex(ResultError, "topology.csv: no such file"):
                draw("topology", result)
            run = json.loads((result / "run.json").read_text())
            run["points"][0]["environment"]["links_reason"] = "not recorded: workers are folded"
            (result / "run.json").write_text(json.dumps(run))
            with self.assertRaisesRegex(ResultError, "simulation.fold=false"):
                draw("topology", result)

    def test_many_hosts_are_what_is_to_blame(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(4, folder)
            run = json.loads((result / "run.json").read_text())
            reason = {"environment": {"topology_reason": "not recorded: the members take more than 1024 hosts"}}
            run["points"].append(run["points"][0] | reason)
            (result / "run.json").write_text(json.dumps(run))
            with self.assertRaisesRegex(ResultError, "run.json: the network between the hosts was not recorded: .* more than 1024 hosts; "):
                KINDS["topology"].draw([str(result)], "double", 2)
            (result / "topology.csv").unlink()
            with self.assertRaisesRegex(ResultError, "run.json: the network between the hosts was not recorded: .* more than 1024 hosts; "):
                draw("topology", result)


class DrawnTest(unittest.TestCase):
    def test_lines_and_bars_are_rows(self):
        rows = list(csv.DictReader(drawn.table(draw("speedup")).splitlines()))
        ring = [row for row in rows if (row["panel"], row["series"]) == ("VGG-16", "ring all-reduce")]
        self.assertEqual([float(row["to"]) for row in ring], column("vgg16", "ring", "speedup"))
        self.assertEqual({(row["x_axis"], row["y_axis"]) for row in rows}, {("workers", "speed-up")})
        rows = list(csv.DictReader(drawn.table(draw("memory")).splitlines()))
        self.assertEqual([(row["x_text"], row["from"], row["to"]) for row in rows if row["series"] == "gradients"],
                         [("ZeRO-0", "1", "2"), ("ZeRO-1", "1", "2"), ("ZeRO-2", "1", "1.25"), ("ZeRO-3", "0.25", "0.5")])

    def test_every_kind_has_rows_with_names(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                rows = list(csv.DictReader(drawn.table(draw(kind)).splitlines()))
                self.assertGreater(len(rows), 1)
                self.assertTrue(all(row["series"] for row in rows))


class LabelsTest(unittest.TestCase):
    def test_an_axis_is_named_where_the_panel_below_or_to_the_left_is_not_the_same(self):
        figure, panels = style.panels(list("abcdef"), "double", 2)
        for axes, unit in zip(panels, ("ms", "s", "s", "s", "ms", "s")):
            axes.set(xlabel=unit, ylabel="y")
        style.drop_repeated_labels(panels)
        self.assertEqual([axes.xaxis.label.get_visible() for axes in panels], [True, False, True, False, True, True])
        self.assertEqual([axes.yaxis.label.get_visible() for axes in panels], [True, False] * 3)


class ScalingTest(unittest.TestCase):
    def test_lines_hold_images_per_second(self):
        axes = panel(draw("scaling"), "AlexNet")
        self.assertEqual(lines(axes)["ring all-reduce"][1], column("alexnet", "ring", "images_per_s"))
        self.assertEqual(axes.get_ylabel(), "images/s")


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
                rows = csv.DictReader(drawn.table(figure).splitlines())
                return [text.get_text() for text in panel(figure, "VGG-16").texts] + [row["series"] for row in rows if row["mark"] == "straggler"]

            self.assertEqual(written([1, 1, 2.5, 1]), ["worker 2\n2.5\N{MULTIPLICATION SIGN}", "ring all-reduce: computing of worker 2"])
            self.assertEqual(written([1, 1, 1.05, 1]), [])
            (Path(folder) / "trace.json").unlink()
            self.assertEqual(list(panel(draw("breakdown", Path(folder)), "VGG-16").texts), [])

    def test_legend_names_parts_and_series(self):
        self.assertEqual(legend_texts(draw("breakdown")),
                         ["compute", "exposed communication", "other", "parameter server", "ring all-reduce"])


class TrafficTest(unittest.TestCase):
    def test_workers_and_the_server(self):
        axes = panel(draw("traffic"), "VGG-16")
        shown = lines(axes)
        self.assertEqual(set(shown), {"ring all-reduce: a worker", "parameter server: a worker",
                                      "parameter server: the server"})
        # The model, 553,430,176 bytes, goes to each of up to 6 workers.
        self.assertEqual(shown["parameter server: the server"],
                         ([1, 2, 3, 4, 5, 6], [n * 0.553430176 for n in range(1, 7)]))
        self.assertEqual(shown["ring all-reduce: a worker"][1][:2], [0, 0.553430176])
        self.assertEqual(axes.get_ylabel(), "sent per iteration (GB)")

    def test_a_result_without_a_server(self):
        with tempfile.TemporaryDirectory() as folder:
            file = edited(SUMMARY, Path(folder) / "summary.csv", ("server_sent_bytes", "other"))
            shown = lines(panel(draw("traffic", file), "VGG-16"))
        self.assertEqual(set(shown), {"ring all-reduce: a worker", "parameter server: a worker"})


class AccuracyTrafficTest(unittest.TestCase):
    def drawn(self, *points: tuple[str, int, str, str]):
        """A figure of (algorithm, workers, bytes sent by a worker, accuracy)."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            rows = [f"mnist_cnn,{algorithm},{workers},{sent},,{accuracy}"
                    for algorithm, workers, sent, accuracy in points]
            file.write_text("\n".join(
                ["model,algorithm,workers,sent_bytes_per_worker,server_sent_bytes,accuracy", *rows]))
            return panel(draw("accuracy_traffic", file), "MNIST CNN")

    def test_a_line_a_number_of_workers_over_what_all_sent(self):
        axes = self.drawn(("pairwise_averaging_2", 2, "2e6", "0.75"), ("pairwise_averaging_1", 2, "1e6", "0.5"),
                          ("pairwise_averaging_all", 3, "2e6", "0.25"))
        self.assertEqual(lines(axes), {"pairwise averaging, 2 workers": ([2, 4], [50, 75]),
                                       "pairwise averaging, 3 workers": ([6], [25])})
        self.assertEqual([text.get_text() for text in axes.texts], ["1", "2", "all"])
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("sent by all members (MB)", "accuracy (%)"))

    def test_points_without_traffic_or_accuracy_are_left_out(self):
        axes = self.drawn(("none", 1, "0", "0.5"), ("ring", 2, "1e6", ""), ("ring", 3, "1e6", "0.5"))
        self.assertEqual(list(lines(axes)), ["ring all-reduce, 3 workers"])


class CompareTest(unittest.TestCase):
    def test_pairs_stand_side_by_side(self):
        times, speedups = [axes for axes in draw("compare").axes if axes.patches]
        heights = [round(bar.get_height(), 9) for bar in times.patches]
        self.assertEqual(heights, [9.12, 10.15, 9.54, 11.33, 9.3, 11.02, 10.01, 10.98])
        self.assertEqual(times.get_ylabel(), "iteration time (ms)")
        self.assertEqual([bar.get_height() for bar in speedups.patches][:4], [1, 1.797, 1, 1.684])
        self.assertEqual(speedups.get_ylabel(), "speed-up")

    def test_errors_and_algorithms_are_written(self):
        times = draw("compare").axes[0]
        self.assertEqual([text.get_text() for text in times.texts],
                         ["−1.9 %", "−7.9 %", "−4.7 %", "+3.2 %", "ring all-reduce", "parameter server"])
        self.assertEqual([tick.get_text() for tick in times.get_xticklabels()], ["1", "2", "1", "2"])

    def test_repeats_are_error_bars(self):
        times = draw("compare").axes[0]
        (bars,) = times.collections
        ends = [[round(y, 9) for _, y in segment] for segment in bars.get_segments()]
        self.assertEqual(ends[0], [9.021, 9.765])
        self.assertEqual(len(ends), 4)
        self.assertGreater(times.get_ylim()[1], 1.05 * 11.02)

    def test_one_measurement_has_no_error_bar(self):
        self.assertEqual(len(self.drawn(["ring"], [1, 2], "double").axes[0].collections), 0)

    def drawn(self, algorithms: list[str], worker_counts: list[int], width: str):
        """A figure of these points, laid out."""
        rows = [f'"{algorithm}",mnist_cnn,{workers},{quantity},0.0112,0.01,12,1,0.01,0.01'
                for quantity in ("iteration_s", "speedup") for algorithm in algorithms for workers in worker_counts]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "comparison.csv"
            file.write_text("\n".join([",".join(COMPARISON_COLUMNS), *rows]))
            figure = draw("compare", file, width)
        figure.draw_without_rendering()
        return figure

    def test_no_text_lies_on_another(self):
        plain = ["ring", "parameter_server", "none", "segmented_ring", "halving_doubling", "pairwise_averaging_all"]
        settings = ["ring", "ring, compression=power_sgd, bucket=25 MB", "stale_ps, servers=2 staleness=3", "zero_3"]
        for algorithms in (plain[:4], plain, settings):
            for worker_counts in ([2], [1, 2], [1, 2, 4]):
                for width in style.WIDTHS:
                    with self.subTest(algorithms=algorithms, worker_counts=worker_counts, width=width):
                        for axes in self.drawn(algorithms, worker_counts, width).axes[:2]:
                            boxes = [text.get_window_extent() for text in [*axes.texts, axes.xaxis.label]]
                            overlaps = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
                            self.assertEqual(overlaps, [])

    def test_settings_are_in_words(self):
        times = self.drawn(["ring, compression=top_k"], [1, 2, 4], "double").axes[0]
        self.assertIn("ring all-reduce, top-k compression",
                      [text.get_text().replace("\n", " ") for text in times.texts])


class LookTest(unittest.TestCase):
    def test_every_kind_has_its_width_and_readable_text(self):
        for kind in KINDS:
            for width, inches in style.WIDTHS.items():
                with self.subTest(kind=kind, width=width):
                    figure = draw(kind, width=width)
                    self.assertEqual(figure.get_figwidth(), inches)
                    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text()]
                    self.assertGreaterEqual(min(sizes), 7)

    def test_lines_differ_without_colour(self):
        looks = [(style.line(i)["marker"], str(style.line(i)["linestyle"])) for i in range(26)]
        self.assertEqual(len(set(looks)), 26)

    def test_many_series_look_different(self):
        self.assertEqual(len({str(style.line(i)) for i in range(49)}), 49)
        self.assertEqual(len({style.hatch(i) for i in range(21)}), 21)

    def test_a_label_too_wide_for_the_legend_is_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            long = "a_cluster with=much to=be and=said of=its hosts=1024 and=of=all=links=that=are=between them=all"
            file = edited(SUMMARY, Path(folder) / "summary.csv", ("sample_cluster", long))
            figure = draw("speedup", file, "single")
            figure.draw_without_rendering()
        (box,) = [axes.get_legend().get_window_extent() for axes in figure.axes if axes.get_legend()]
        self.assertLessEqual(box.x1, figure.bbox.x1)
        self.assertGreaterEqual(box.x0, figure.bbox.x0)

    def test_dollar_signs_are_only_signs(self):
        with tempfile.TemporaryDirectory() as folder:
            file = edited(SUMMARY, Path(folder) / "summary.csv", ("alexnet", "$x^{$"))
            figure = draw("speedup", file)
            figure.draw_without_rendering()
        self.assertIn("$x^{$", [axes.get_title() for axes in figure.axes])

    def test_powers_of_ten_are_named(self):
        figure = draw("calibration")
        figure.draw_without_rendering()
        self.assertIn("10\u00b3", [tick.get_text() for tick in figure.axes[0].get_xticklabels()])

    def test_fonts_are_embedded_as_text(self):
        import matplotlib
        self.assertEqual(matplotlib.rcParams["pdf.fonttype"], 42)
        self.assertTrue(FontProperties().get_name())


if __name__ == "__main__":
    unittest.main()
