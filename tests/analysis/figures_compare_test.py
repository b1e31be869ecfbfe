"""What the figure of predicted and measured shows: bars, errors, and repeats."""

import tempfile
import unittest
from pathlib import Path

import context  # which puts analysis/ on the path, too
import figures
import style
from data.generate import COMPARISON_COLUMNS
from figure import draw, table_rows


class CompareTest(unittest.TestCase):
    def test_pairs_stand_side_by_side(self):
        times, speedups, exposed, sent = [axes for axes in draw("compare").axes if axes.patches]
        heights = [round(bar.get_height(), 9) for bar in times.patches]
        self.assertEqual(heights, [9.12, 10.15, 9.54, 11.33, 9.3, 11.02, 10.01, 10.98])
        self.assertEqual(times.get_ylabel(), "iteration time (ms)")
        self.assertEqual([bar.get_height() for bar in speedups.patches][:4], [1, 1.797, 1, 1.684])
        self.assertEqual(speedups.get_ylabel(), "speed-up")
        self.assertEqual([round(bar.get_height(), 9) for bar in exposed.patches], [0, 1.03, 0.42, 2.21, 0.01, 1.72, 0.71, 1.68])
        self.assertEqual(exposed.get_ylabel(), "exposed communication (ms)")
        self.assertEqual([bar.get_height() for bar in sent.patches], 2 * [0, 874.4, 874.4, 874.4])
        self.assertEqual(sent.get_ylabel(), "sent per worker (kB)")

    def test_what_a_worker_alone_exposes_has_no_error(self):
        exposed, sent = draw("compare").axes[2:4]
        self.assertEqual([text.get_text() for text in exposed.texts][:3], ["−40.1 %", "−40.8 %", "+31.5 %"])
        self.assertEqual([text.get_text() for text in sent.texts][:3], 3 * ["0.0 %"])

    def test_what_nobody_sends_has_no_panel(self):
        rows = [f"none,mnist_cnn,1,{quantity},{figure},{figure},0,1,{figure},{figure}"
                for quantity, figure in (("iteration_s", 0.01), ("sent_bytes_per_worker", 0))]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "comparison.csv"
            file.write_text("\n".join([",".join(COMPARISON_COLUMNS), *rows]))
            self.assertEqual([axes.get_ylabel() for axes in draw("compare", file).axes if axes.patches], ["iteration time (ms)"])

    def test_errors_and_algorithms_are_written(self):
        times = draw("compare").axes[0]
        self.assertEqual([text.get_text() for text in times.texts],
                         ["−1.9 %", "−7.9 %", "−4.7 %", "+3.2 %", "ring all-reduce", "parameter server"])
        self.assertEqual([tick.get_text() for tick in times.get_xticklabels()], ["1", "2", "1", "2"])

    def test_repeats_are_error_bars(self):
        times = draw("compare").axes[0]
        ends = [[round(y, 9) for _, y in segment] for bars in times.collections for segment in bars.get_segments()]
        self.assertEqual(ends[0], [9.021, 9.765])
        self.assertEqual(len(ends), 4)
        self.assertGreater(times.get_ylim()[1], 1.05 * 11.02)

    def test_the_table_has_a_row_a_bar_and_an_error_bar_with_its_algorithm_and_workers(self):
        rows = [row for row in table_rows(draw("compare")) if row["y_axis"] == "iteration time (ms)" and row["x_text"] == "2"]
        self.assertEqual([(row["series"], row["mark"], row["from"], row["to"]) for row in rows],
                         [("ring all-reduce: predicted", "bar", "0", "10.15"), ("parameter server: predicted", "bar", "0", "11.33"),
                          ("ring all-reduce: measured", "bar", "0", "11.02"), ("parameter server: measured", "bar", "0", "10.98"),
                          ("ring all-reduce: measured", "spread", "10.6894", "11.571"),
                          ("parameter server: measured", "spread", "10.6506", "11.529")])

    def test_what_the_percentages_are_is_noted(self):
        self.assertIn("Percentages: error of the prediction.", [text.get_text() for text in draw("compare").texts])

    def test_what_was_paced_is_noted_of_any_figure(self):
        comparison = (context.DATA / "comparison.csv").read_text().splitlines()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "comparison.csv").write_text("".join(f"{line},{'device' if i == 0 else 'paced:k80'}\n" for i, line in enumerate(comparison)))
            (folder / "summary.csv").write_text(context.SUMMARY.read_text().replace(",k80,", ",paced:k80,"))
            for kind in ("compare", "speedup"):
                texts = [text.get_text() for text in figures.draw(figures.KINDS[kind], [str(folder)]).texts]
                self.assertTrue(any("Measured on paced:k80, which waits for a profile's times." in text for text in texts), texts)

    def test_one_measurement_has_no_error_bar(self):
        self.assertEqual(len(self.drawn(["ring"], [1, 2], "double").axes[0].collections), 0)

    def drawn(self, algorithms: list[str], worker_counts: list[int], width: str):
        """A figure of these points, laid out."""
        rows = [f'"{algorithm}",mnist_cnn,{workers},{quantity},0.0112,0.01,12,1,0.01,0.01'
                for quantity in ("iteration_s", "speedup", "exposed_communication_s", "sent_bytes_per_worker")
                for algorithm in algorithms for workers in worker_counts]
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
                        for axes in self.drawn(algorithms, worker_counts, width).axes[:4]:
                            boxes = [text.get_window_extent() for text in [*axes.texts, axes.xaxis.label]]
                            overlaps = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
                            self.assertEqual(overlaps, [])

    def test_errors_are_written_alike_in_all_panels(self):
        for widest in (12, 123456):
            rows = [f"ring,mnist_cnn,{workers},{quantity},0.0112,0.01,{widest if quantity == 'speedup' else 3.25},1,0.01,0.01"
                    for quantity in ("iteration_s", "speedup") for workers in range(1, 7)]
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "comparison.csv"
                file.write_text("\n".join([",".join(COMPARISON_COLUMNS), *rows]))
                figure = draw("compare", file)
            errors = [text for axes in figure.axes for text in axes.texts if text.get_text().endswith("%")]
            self.assertEqual((len(errors), {text.get_rotation() for text in errors}), (12, {90 if widest > 12 else 0}))
            for text in errors:
                self.assertRegex(text.get_text(), "^([+\N{MINUS SIGN}]\\d+\\.\\d|0\\.0) %$")

    def test_settings_are_in_words(self):
        times = self.drawn(["ring, compression=top_k"], [1, 2, 4], "double").axes[0]
        self.assertIn("ring all-reduce, top-k compression",
                      [text.get_text().replace("\n", " ") for text in times.texts])


if __name__ == "__main__":
    unittest.main()
