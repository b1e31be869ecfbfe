"""What the figure of stale updates shows."""

import tempfile
import unittest
from pathlib import Path

from figure import draw, lines, panel
from figures import KINDS
from results import ResultError

HEADER = "algorithm,model,batch_size,workers,variant,staleness,updates"
SUMMARY = "world,platform,device,dataset,algorithm,model,batch_size,workers,variant"


class StalenessTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def result(self, name: str, header: str, rows: list[str], points: list[str] | None = None) -> str:
        """A folder with rows of updates of an asynchronous server and, of some, of the points in summary.csv."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "staleness.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        if points:
            (folder / "summary.csv").write_text("\n".join([SUMMARY, *points]) + "\n", encoding="utf-8")
        return str(folder)

    def drawn(self, *results: str) -> dict:
        return lines(panel(KINDS["staleness"].draw(list(results), "single"), "MNIST CNN"))

    def test_shares_of_the_updates(self):
        axes = panel(draw("staleness"), "MNIST CNN")
        self.assertEqual(lines(axes), {"asynchronous parameter server, 2 workers": ([0, 1], [25, 75]),
                                       "asynchronous parameter server, 4 workers": ([1, 2, 3], [5, 10, 85])})

    def test_two_results_are_two_lines(self):
        row = "asynchronous_ps,mnist_cnn,8,4,,{},{}"
        first = self.result("first", HEADER, [row.format(0, 10), row.format(1, 90)])
        second = self.result("second", HEADER, [row.format(0, 50), row.format(3, 50)])
        self.assertEqual(self.drawn(first, second), {"asynchronous parameter server, first": ([0, 1], [10, 90]),
                                                     "asynchronous parameter server, second": ([0, 1, 2, 3], [50, 0, 0, 50])})

    def test_batch_sizes_of_a_sweep_are_lines_each(self):
        rows = [f"asynchronous_ps,mnist_cnn,{batch},4,,{staleness},{updates}"
                for batch, counts in ((4, (10, 90)), (8, (60, 40))) for staleness, updates in enumerate(counts)]
        self.assertEqual(self.drawn(self.result("sweep", HEADER, rows)),
                         {"asynchronous parameter server, batch size 4": ([0, 1], [10, 90]),
                          "asynchronous parameter server, batch size 8": ([0, 1], [60, 40])})

    def test_points_that_only_the_summary_tells_apart(self):
        rows = [f"{point},asynchronous_ps,mnist_cnn,8,4,,{staleness},{updates}"
                for point, counts in enumerate(((10, 90), (60, 40))) for staleness, updates in enumerate(counts)]
        points = [f"simulated,star,{device},mnist,asynchronous_ps,mnist_cnn,8,4," for device in ("k80", "v100")]
        self.assertEqual(self.drawn(self.result("sweep", "point," + HEADER, rows, points)),
                         {"asynchronous parameter server, K80": ([0, 1], [10, 90]),
                          "asynchronous parameter server, V100": ([0, 1], [60, 40])})
        self.assertEqual(list(self.drawn(self.result("alone", "point," + HEADER, rows))),
                         ["asynchronous parameter server, alone, point 1", "asynchronous parameter server, alone, point 2"])

    def test_devices_that_come_with_more_workers_are_no_word(self):
        rows = [f"{point},asynchronous_ps,mnist_cnn,8,{workers},,0,1" for point, workers in enumerate((1, 2))]
        points = [f"simulated,mixed,{device},mnist,asynchronous_ps,mnist_cnn,8,{workers}," for device, workers in (("k80", 1), ("k80+v100", 2))]
        self.assertEqual(list(self.drawn(self.result("sweep", "point," + HEADER, rows, points))),
                         ["asynchronous parameter server, 1 worker", "asynchronous parameter server, 2 workers"])

    def test_a_prediction_and_its_measurement_have_their_worlds(self):
        row = "0,asynchronous_ps,mnist_cnn,8,2,,{},{}"
        predicted = self.result("predicted", "point," + HEADER, [row.format(0, 1)], ["simulated,lab,k80,mnist,asynchronous_ps,mnist_cnn,8,2,"])
        measured = self.result("measured", "point," + HEADER, [row.format(1, 1)], ["real,host1+host2,k80,mnist,asynchronous_ps,mnist_cnn,8,2,"])
        self.assertEqual(list(self.drawn(predicted, measured)),
                         ["asynchronous parameter server, simulated", "asynchronous parameter server, real"])

    def test_points_that_nothing_tells_apart_are_refused(self):
        rows = [f"asynchronous_ps,mnist_cnn,8,4,,{staleness},5" for staleness in (0, 1, 0)]
        old = self.result("old", HEADER, rows)
        with self.assertRaisesRegex(ResultError, f"{old}/staleness.csv:4: column 'staleness' repeats 0 of {old}/staleness.csv:2, and nothing "
                                                 "says of which point each is; make the result again"):
            self.drawn(old)
        new = self.result("new", "point," + HEADER, [f"0,{row}" for row in rows])
        with self.assertRaisesRegex(ResultError, f"staleness.csv:4: column 'staleness' repeats 0 of {new}/staleness.csv:2$"):
            self.drawn(new)


if __name__ == "__main__":
    unittest.main()
