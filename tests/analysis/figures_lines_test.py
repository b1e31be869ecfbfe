"""What the figures of lines over workers show: their data, and axes that fit the workers."""

import csv
import tempfile
import unittest
from pathlib import Path

from context import SUMMARY, edited
import numpy
import style
from figure import column, draw, legend_texts, lines, notes, panel, table_rows
from matplotlib.backends.backend_agg import FigureCanvasAgg
from results import ResultError


class SpeedupTest(unittest.TestCase):
    def test_lines_hold_the_speedups_and_the_ideal(self):
        shown = lines(panel(draw("speedup"), "VGG-16"))
        self.assertEqual(shown["ring all-reduce"], ([1, 2, 3, 4, 5, 6], column("vgg16", "ring", "speedup")))
        self.assertEqual(shown["parameter server"][1], column("vgg16", "parameter_server", "speedup"))
        self.assertEqual(shown["ideal"], ([1, 6], [1, 6]))

    def test_the_ideal_and_the_bound_are_seen_where_others_lie_on_them(self):
        for kind, workers in (("speedup", [1, 2, 4]), ("speedup", [4]), ("efficiency", [1, 2, 4]), ("efficiency", [4])):
            rows = [f"vgg16,{algorithm},{n},1,{n},1,1" for algorithm in ("parameter_server", "ring") for n in workers]
            with self.subTest(kind=kind, workers=workers), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "summary.csv"
                file.write_text("\n".join(["model,algorithm,workers,iteration_s,speedup,efficiency,all_reduce_bound_s", *rows]))
                figure = draw(kind, file, "single")
                axes = panel(figure, "VGG-16")
                for name in ("ideal", "bound of any all-reduce") if kind == "speedup" else ("ideal",):
                    (line,) = [line for line in axes.get_lines() if line.get_label() == name]
                    before = self.pixels(figure)
                    line.set_visible(False)
                    self.assertGreater((abs(before - self.pixels(figure)).max(axis=2) > 45).sum(), 20, name)
                    line.set_visible(True)

    def pixels(self, figure):
        """Of the panels, without the legend."""
        for axes in figure.axes:
            if axes.get_legend():
                axes.get_legend().set_visible(False)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return numpy.array(canvas.buffer_rgba(), float)

    def test_a_panel_a_model_and_one_legend(self):
        figure = draw("speedup")
        self.assertEqual([axes.get_title() for axes in figure.axes if axes.get_title()],
                         ["AlexNet", "ResNet-50", "ResNet-152", "VGG-16", "Inception-v3"])
        self.assertEqual(legend_texts(figure), ["parameter server", "ring all-reduce", "ideal"])

    def test_axes_are_named(self):
        axes = panel(draw("speedup"), "VGG-16")
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("workers", "speed-up"))

    def test_the_hosts_that_a_real_run_took_do_not_split_its_line(self):
        header = "scenario,world,platform,model,algorithm,workers,speedup"
        rows = ["a,real,host1,vgg16,ring,1,1", "a,real,host1+host2,vgg16,ring,2,1.5", "a,simulated,lab,vgg16,ring,1,1", "a,simulated,lab,vgg16,ring,2,1.75"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            file.write_text("\n".join([header, *rows]), encoding="utf-8")
            shown = lines(panel(draw("speedup", file), "VGG-16"))
            self.assertEqual((shown["ring all-reduce, real"], shown["ring all-reduce, simulated"]), (([1, 2], [1, 1.5]), ([1, 2], [1, 1.75])))
            file.write_text("\n".join([header, rows[0], rows[0].replace("host1", "host2")]), encoding="utf-8")
            self.assertEqual(list(lines(panel(draw("speedup", file), "VGG-16"))), ["ring all-reduce, host1", "ring all-reduce, host2", "ideal"])

    def test_a_speedup_that_was_not_measured_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            file = edited(SUMMARY, Path(folder) / "summary.csv", (",0.399144091,", ",,"))
            figure = draw("speedup", file)
        self.assertEqual(lines(panel(figure, "AlexNet"))["parameter server"][0], [1, 3, 4, 5, 6])
        self.assertEqual(style.cautions(figure), ["no speed-up of parameter server with 2 workers: no result has one worker on the same "
                                                  "devices to compare with"])
        self.assertEqual(style.cautions(draw("speedup")), [])

    def banded(self, kind: str):
        """A figure of results in which the ring has a band around the speed-up of VGG-16."""
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
            return draw(kind, file)

    def test_the_bands_of_efficiency_are_those_of_the_speedup(self):
        figure = self.banded("efficiency")
        ends = [segment for bars in panel(figure, "VGG-16").collections for segment in bars.get_segments()]
        self.assertEqual(len(ends), 5)
        for ((workers, low), (_, high)), middle in zip(ends, column("vgg16", "ring", "speedup")[1:]):
            self.assertAlmostEqual(low, 100 * (middle - 0.25) / workers, places=1)
            self.assertAlmostEqual(high, 100 * (middle + 0.5) / workers, places=1)
        self.assertEqual(notes(figure), ["Error bars: 10 % and 90 % quantiles over the seeds."])
        self.assertEqual(list(draw("efficiency").texts), [])

    def test_the_bands_of_several_seeds_are_error_bars(self):
        figure = self.banded("speedup")
        ends = [segment for bars in panel(figure, "VGG-16").collections for segment in bars.get_segments()]
        self.assertEqual(len(ends), 5)
        for ((_, low), (_, high)), middle in zip(ends, column("vgg16", "ring", "speedup")[1:]):
            self.assertAlmostEqual(low, middle - 0.25)
            self.assertAlmostEqual(high, middle + 0.5)
        self.assertEqual(list(panel(figure, "AlexNet").collections), [])
        self.assertEqual(notes(figure), ["Error bars: 10 % and 90 % quantiles over the seeds."])
        rows = [row for row in table_rows(figure) if row["mark"] == "spread"]
        self.assertEqual({(row["panel"], row["series"]) for row in rows}, {("VGG-16", "ring all-reduce")})
        self.assertEqual([row["x"] for row in rows], ["2", "3", "4", "5", "6"])
        self.assertEqual(list(draw("speedup").texts), [])

    def test_a_band_that_its_figure_is_not_in_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            file.write_text("model,algorithm,workers,speedup,speedup_low,speedup_high\nvgg16,ring,1,1,1,1\nvgg16,ring,2,3,1,2\n", encoding="utf-8")
            with self.assertRaisesRegex(ResultError, f"{file}:3: column 'speedup' is 3, which is not from speedup_low, 1, to speedup_high, 2"):
                draw("speedup", file)


class BoundTest(unittest.TestCase):
    def test_a_bound_is_drawn_where_the_result_has_one(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            header, *rows = SUMMARY.read_text(encoding="utf-8").splitlines()
            rows = [row for row in rows if ",vgg16,synthetic,ring," in row]
            file.write_text("\n".join([header + ",all_reduce_bound_s", *(row + ",1.808" for row in rows)]))
            shown = lines(panel(draw("speedup", file), "VGG-16"))
            file.write_text("\n".join([header + ",all_reduce_bound_s", rows[0] + ",1.808", *(row + "," for row in rows[1:])]))
            alone = next(line for line in panel(draw("speedup", file), "VGG-16").lines if line.get_label() == "bound of any all-reduce")
        # One worker computes for 0.904 s.
        self.assertEqual(shown["bound of any all-reduce"], ([1, 2, 3, 4, 5, 6], [0.5, 1, 1.5, 2, 2.5, 3]))
        self.assertEqual((list(alone.get_xdata()), alone.get_marker()), ([1], "_"), "a line of one point is not to be seen")


class ScalingTest(unittest.TestCase):
    def test_lines_hold_images_per_second(self):
        axes = panel(draw("scaling"), "AlexNet")
        self.assertEqual(lines(axes)["ring all-reduce"][1], column("alexnet", "ring", "images_per_s"))
        self.assertEqual(axes.get_ylabel(), "images/s")


class EfficiencyTest(unittest.TestCase):
    def test_lines_are_percents_of_the_ideal(self):
        axes = panel(draw("efficiency"), "VGG-16")
        self.assertEqual(lines(axes)["ring all-reduce"][1], [100 * e for e in column("vgg16", "ring", "efficiency")])
        self.assertEqual(lines(axes)["ideal"][1], [100, 100])
        self.assertEqual(axes.get_ylabel(), "efficiency (%)")


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

    def test_one_number_of_workers_has_its_tick_alone(self):
        """Also in a panel beside others whose workers grow by factors."""
        for other in ([], [1, 2, 4, 8, 16, 32]):
            for workers in ([1], [2], [1024]):
                rows = [f"{model},ring,{n},0.5,{0.9 * n},{90 * n},0.9" for model, counts in (("vgg16", workers), ("alexnet", other)) for n in counts]
                with tempfile.TemporaryDirectory() as folder:
                    file = Path(folder) / "summary.csv"
                    file.write_text("\n".join(["model,algorithm,workers,iteration_s,speedup,images_per_s,efficiency", *rows]))
                    for kind in ("speedup", "scaling", "efficiency"):
                        with self.subTest(kind=kind, workers=workers, other=other):
                            figure = draw(kind, file, "single")
                            figure.draw_without_rendering()
                            axes = panel(figure, "VGG-16")
                            self.assertEqual([tick.get_text() for tick in axes.get_xticklabels()], [str(workers[0])])
                            self.assertEqual((axes.get_yscale(), axes.get_ylim()[0]), ("linear", 0))

    def test_workers_within_a_power_of_two_have_whole_ticks(self):
        figure, (axes,) = style.panels([""], "single")
        axes.plot([5, 7], [1, 2])
        style.workers_axis(axes, by_factors=True)
        figure.draw_without_rendering()
        self.assertLessEqual({float(tick) for tick in axes.get_xticks()}, set(range(20)))

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


if __name__ == "__main__":
    unittest.main()
