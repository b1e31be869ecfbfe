"""What every figure has: its size, text that can be read, lines that differ, names, and its table."""

import functools
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from context import SUMMARY, edited
import names
import style
from bar_names import BarNames
from figure import column, draw, table_rows
from figures import KINDS
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text


@functools.cache
def drawn(kind: str, width: str) -> Figure:
    """Of the sample result, for tests that only look at it."""
    return draw(kind, width=width)


class LookTest(unittest.TestCase):
    def test_every_kind_has_its_width_and_readable_text(self):
        for kind in KINDS:
            for width, inches in style.WIDTHS.items():
                with self.subTest(kind=kind, width=width):
                    figure = drawn(kind, width)
                    self.assertEqual(figure.get_figwidth(), inches)
                    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text()]
                    self.assertGreaterEqual(min(sizes), 7)

    def test_panels_are_as_wide_as_the_figure_and_the_legend_within_it(self):
        for kind in KINDS:
            for width in style.WIDTHS:
                with self.subTest(kind=kind, width=width):
                    figure = drawn(kind, width)
                    figure.draw_without_rendering()
                    rightmost = max(axes.get_tightbbox().x1 for axes in figure.axes if axes.axison)
                    self.assertGreater(rightmost, figure.bbox.x1 - 0.07 * figure.dpi)
                    for legend in (axes.get_legend() for axes in figure.axes if axes.get_legend()):
                        box = legend.get_window_extent()
                        self.assertTrue(all(figure.bbox.contains(x, y) for x, y in box.corners()), box)

    def test_a_legend_of_nothing_is_one(self):
        figure, _ = style.panels([""], "single")
        style.legend(figure, {})
        figure.draw_without_rendering()

    def test_markers_on_the_edge_of_a_panel_are_whole(self):
        for kind in ("speedup", "scaling", "efficiency", "volume", "accuracy_traffic", "staleness"):
            marked = [line for axes in drawn(kind, "double").axes for line in axes.get_lines() if line.get_marker() not in ("None", "")]
            self.assertGreater(len(marked), 1, kind)
            self.assertEqual([line for line in marked if line.get_clip_on()], [], kind)

    def test_lines_differ_without_colour(self):
        looks = [(style.line(i)["marker"], str(style.line(i)["linestyle"])) for i in range(26)]
        self.assertEqual(len(set(looks)), 26)

    def test_many_series_look_different(self):
        self.assertEqual(len({str(style.line(i)) for i in range(style.LOOKS)}), style.LOOKS)
        self.assertEqual(len({style.hatch(i) for i in range(21)}), 21)

    def test_a_legend_of_several_lines_has_columns_of_like_length(self):
        names = ["compute", "exposed communication", "other", "parameter server", "parameter server, 4 servers", "ring all-reduce"]
        figure, (axes,) = style.panels([""], "double")
        style.legend(figure, {name: axes.plot([1], [1])[0] for name in names})
        figure.draw_without_rendering()
        (legend,) = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
        columns = Counter(round(text.get_window_extent().x0) for text in legend.get_texts())
        self.assertEqual(list(columns.values()), [2, 2, 2])

    def test_a_label_too_wide_for_the_legend_is_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            long = "a_cluster with=much to=be and=said of=its hosts=1024 and=of=all=links=that=are=between them=all"
            file = edited(SUMMARY, Path(folder) / "summary.csv", ("sample_cluster", long))
            figure = draw("speedup", file, "single")
            figure.draw_without_rendering()
        (box,) = [axes.get_legend().get_window_extent() for axes in figure.axes if axes.get_legend()]
        self.assertLessEqual(box.x1, figure.bbox.x1)
        self.assertGreaterEqual(box.x0, figure.bbox.x0)

    def test_no_line_ends_between_a_number_and_its_unit_or_what_it_counts(self):
        name = "star, bandwidth 10 Gbit/s, latency 50 \N{MICRO SIGN}s, 25 MB buckets, 300 ms, 12 % and 4 workers"
        parted = set()
        for letters in range(15, 60):
            lines = [names.on_one_line(line).split(" ") for line in style.wrapped(name, letters).split("\n")]
            parted |= {(line[-1], following[0]) for line, following in zip(lines, lines[1:]) if line[-1].isdigit()}
        self.assertEqual(parted, set())
        self.assertEqual(names.on_one_line(style.wrapped(name, 500)), name)
        self.assertEqual(style.wrapped("on 10 Gbit/s", 500), "on 10\N{NO-BREAK SPACE}Gbit/s")
        self.assertEqual(BarNames(["ring, 25 MB buckets"], [0.45]).lines, [["ring,", "25\N{NO-BREAK SPACE}MB", "buckets"]])

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


class LabelsTest(unittest.TestCase):
    def test_an_axis_is_named_where_the_panel_below_or_to_the_left_is_not_the_same(self):
        figure, panels = style.panels(list("abcdef"), "double", 2)
        for axes, unit in zip(panels, ("ms", "s", "s", "s", "ms", "s")):
            axes.set(xlabel=unit, ylabel="y")
        style.drop_repeated_labels(panels)
        self.assertEqual([axes.xaxis.label.get_visible() for axes in panels], [True, False, True, False, True, True])
        self.assertEqual([axes.yaxis.label.get_visible() for axes in panels], [True, False] * 3)


class DrawnTest(unittest.TestCase):
    def test_lines_and_bars_are_rows(self):
        rows = table_rows(draw("speedup"))
        ring = [row for row in rows if (row["panel"], row["series"]) == ("VGG-16", "ring all-reduce")]
        self.assertEqual([float(row["to"]) for row in ring], column("vgg16", "ring", "speedup"))
        self.assertEqual({(row["x_axis"], row["y_axis"]) for row in rows}, {("workers", "speed-up")})
        rows = table_rows(draw("memory"))
        self.assertEqual([(row["x_text"], row["from"], row["to"]) for row in rows if row["series"] == "gradients"],
                         [("ZeRO-0", "1", "2"), ("ZeRO-1", "1", "2"), ("ZeRO-2", "1", "1.25"), ("ZeRO-3", "0.25", "0.5")])

    def test_a_panels_name_is_whole_at_every_width(self):
        long = "a model of a user's own that has a name of more letters than are in a line or in three of them above a panel of a figure"
        with tempfile.TemporaryDirectory() as folder:
            file = edited(SUMMARY, Path(folder) / "summary.csv", *[("alexnet", long)] * 12)
            narrow, broad = (draw("speedup", file, width) for width in style.WIDTHS)
        self.assertIn("\n", narrow.axes[0].get_title())
        self.assertEqual(table_rows(narrow)[0]["panel"], long)
        self.assertEqual(table_rows(narrow), table_rows(broad))

    def test_every_kind_has_rows_with_names(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                rows = table_rows(drawn(kind, "double"))
                self.assertGreater(len(rows), 1)
                self.assertTrue(all(row["series"] for row in rows))


if __name__ == "__main__":
    unittest.main()
