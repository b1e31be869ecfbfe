"""What the figure of a worker's memory shows."""

import json
import tempfile
import unittest
from pathlib import Path

import context  # noqa: F401  (which puts analysis/ on the path)
import style
from figure import draw, legend_texts, table_rows
from figures import KINDS

PARTS = ["parameters", "gradients", "optimizer_state", "layer_groups_in_use", "activations", "buffers"]


def names_below(axes) -> list[str]:
    return [tick.get_text().replace("\n", " ") for tick in axes.get_xticklabels()]


class MemoryTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def result(self, name: str, stages: list[int], world: str = "simulated", each: float = 1e6, workers: int = 2) -> str:
        """A folder with a point a stage, of which each part takes `each` bytes over the stage, and three times that is measured."""
        folder = self.folder / name
        folder.mkdir()
        place = {"device": "k80", "platform": "gcp_k80.xml"} if world == "simulated" else {"device": "AMD EPYC", "platform": "host"}
        points, rows = [], []
        for stage in stages:
            held = {part: each / (1 + stage) for part in PARTS}
            held["total"] = sum(held.values())
            points.append({"scenario": {"algorithm": {"name": "zero", "stage": stage}, "workers": workers, "model": "mnist_cnn"},
                           "environment": {"memory": {"predicted": held}} | ({"executor": "exact"} if world == "simulated" else {})} | place)
            rows.append(f"{world},mnist_cnn,zero_{stage},{workers},{3 * held['total'] if world == 'real' else held['total']}")
        (folder / "run.json").write_text(json.dumps({"points": points}))
        (folder / "summary.csv").write_text("\n".join(["world,model,algorithm,workers,peak_memory_bytes", *rows]))
        return str(folder)

    def drawn(self, *results: str, width: str = "single"):
        figure = KINDS["memory"].draw(list(results), width)
        figure.draw_without_rendering()
        return figure

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

    def test_simulated_and_real_points_that_are_alike_have_a_bar_and_what_was_measured(self):
        figure = self.drawn(self.result("one", [1]), self.result("two", [3]), self.result("three", [1], "real"))
        axes = figure.axes[0]
        self.assertEqual(names_below(axes), ["ZeRO-1", "ZeRO-3"])
        self.assertEqual([(row["x_text"], float(row["to"])) for row in table_rows(figure) if row["series"] == "measured"], [("ZeRO-1", 9)])
        self.assertIn("measured", legend_texts(figure))
        self.assertGreater(axes.get_ylim()[1], 9)
        self.assertEqual([text.get_text() for text in figure.texts], ["Bars: predicted."])

    def test_no_simulation_has_measured_anything(self):
        figure = self.drawn(self.result("one", [1]))
        self.assertNotIn("measured", legend_texts(figure) + [row["series"] for row in table_rows(figure)])

    def test_places_alone_tell_no_bars_apart(self):
        figure = self.drawn(self.result("one", [1]), self.result("two", [3], "real"))
        self.assertEqual(names_below(figure.axes[0]), ["ZeRO-1", "ZeRO-3"])
        figure = self.drawn(self.result("three", [1], each=2e6), self.result("four", [1], each=3e6))
        self.assertEqual(names_below(figure.axes[0]), ["ZeRO-1, three", "ZeRO-1, four"])

    def test_names_lie_in_the_figure_and_not_on_each_other(self):
        for count in (2, 4, 8, 45):
            with self.subTest(count=count):
                results = [self.result(f"with a long name of its own {count} {i}", [1], each=1e6 * (i + 1), workers=2 + i % 2)
                           for i in range(count)]
                for width in style.WIDTHS:
                    figure = self.drawn(*results, width=width)
                    panels = [axes for axes in figure.axes if axes.patches]
                    boxes = [tick.get_window_extent() for axes in panels for tick in axes.get_xticklabels()]
                    self.assertEqual(len(boxes), count)
                    self.assertEqual([(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)], [])
                    self.assertTrue(all(axes.get_window_extent().width > 0.75 * figure.bbox.width for axes in panels))
                    self.assertTrue(all(box.y0 >= 0 and box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes))
                    self.assertEqual(len({axes.get_ylim() for axes in panels}), 1)

    def test_long_names_have_as_many_lines_as_there_is_room_for(self):
        name = "a result with a long name of its own that says what it is of and how it was made"
        results = [self.result(f"{name} {i}", [1], each=1e6 * (i + 1)) for i in range(9)]
        self.assertLess(self.drawn(*results).get_figheight(), 6)


if __name__ == "__main__":
    unittest.main()
