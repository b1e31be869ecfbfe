"""What the figures of bytes sent show."""

import tempfile
import unittest
from pathlib import Path

from context import SUMMARY, edited
from figure import draw, lines, panel, table_rows


class TrafficTest(unittest.TestCase):
    def test_workers_and_servers(self):
        axes = panel(draw("traffic"), "VGG-16")
        shown = lines(axes)
        self.assertEqual(set(shown), {"ring all-reduce: a worker", "parameter server: a worker",
                                      "parameter server: all servers"})
        # The model, 553,430,176 bytes, goes to each of up to 6 workers.
        self.assertEqual(shown["parameter server: all servers"],
                         ([1, 2, 3, 4, 5, 6], [n * 0.553430176 for n in range(1, 7)]))
        self.assertEqual(shown["ring all-reduce: a worker"][1][:2], [0, 0.553430176])
        self.assertEqual(axes.get_ylabel(), "sent per iteration (GB)")

    def test_a_result_without_a_server(self):
        with tempfile.TemporaryDirectory() as folder:
            file = edited(SUMMARY, Path(folder) / "summary.csv", ("server_sent_bytes", "other"))
            shown = lines(panel(draw("traffic", file), "VGG-16"))
        self.assertEqual(set(shown), {"ring all-reduce: a worker", "parameter server: a worker"})

    def test_workers_that_grow_by_factors_have_logarithmic_axes(self):
        def drawn(server: bool):
            rows = [f"vgg16,parameter_server,{n},1,{int(n > 1) * 1e6},{n * 1e6 if server else ''}" for n in (1, 4, 16, 64)]
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "summary.csv"
                file.write_text("\n".join(["model,algorithm,workers,iterations,sent_bytes_per_worker,server_sent_bytes", *rows]))
                figure = draw("traffic", file)
            return figure, panel(figure, "VGG-16")

        figure, axes = drawn(server=True)
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))
        self.assertEqual([row["to"] for row in table_rows(figure)], ["0", "1", "1", "1", "1", "4", "16", "64"])
        figure.draw_without_rendering()
        self.assertGreater(axes.get_ylim()[0], 0.5)  # what is 0 has no place there
        # Where all send about the same, powers of ten would be too far apart.
        _, axes = drawn(server=False)
        self.assertEqual((axes.get_xscale(), axes.get_yscale(), axes.get_ylim()[0]), ("log", "linear", 0))


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

    def test_the_table_has_the_variants(self):
        rows = table_rows(draw("accuracy_traffic"))
        self.assertEqual({row["x_text"] for row in rows}, {""})
        axes = self.drawn(("pairwise_averaging_2", 2, "2e6", "0.75"), ("pairwise_averaging_all", 2, "3e6", "0.5"))
        self.assertEqual([row["x_text"] for row in table_rows(axes.figure)], ["2", "all"])

    def test_points_without_traffic_or_accuracy_are_left_out(self):
        axes = self.drawn(("none", 1, "0", "0.5"), ("ring", 2, "1e6", ""), ("ring", 3, "1e6", "0.5"))
        self.assertEqual(list(lines(axes)), ["ring all-reduce, 3 workers"])


if __name__ == "__main__":
    unittest.main()
