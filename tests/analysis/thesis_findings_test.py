"""thesis_findings_test.py RESULT: the thesis' findings hold in RESULT/summary.csv, the grid simulated on gcp_k80."""

import csv
import sys
import unittest
from pathlib import Path

import thesis_findings as findings


class ThesisFindingsTest(unittest.TestCase):
    result: Path

    @classmethod
    def setUpClass(cls):
        with open(cls.result / "summary.csv", newline="", encoding="utf-8") as stream:
            cls.grid = findings.Grid(list(csv.DictReader(stream)))

    def test_the_grid_is_whole(self):
        self.assertEqual(sorted(self.grid.models), sorted(findings.PARAMETERS))
        self.assertEqual(self.grid.missing(), [])

    def test_large_models_are_communication_bound(self):
        bound = self.grid.communication_bound()
        self.assertLessEqual({"alexnet", "vgg16", "vgg19"}, set(bound))

    def test_parameter_server_levels_off(self):
        self.assertEqual(findings.parameter_server_levels_off(self.grid), [])

    def test_server_traffic_grows_in_proportion_to_workers(self):
        self.assertEqual(findings.server_traffic_grows_in_proportion(self.grid), [])

    def test_ring_sends_the_least_possible(self):
        self.assertEqual(findings.ring_sends_the_least_possible(self.grid), [])

    def test_ring_keeps_growing(self):
        self.assertEqual(findings.ring_keeps_growing(self.grid), [])

    def test_ring_gains_with_the_second_worker_where_computing_outweighs_sending(self):
        for model in ("resnet50", "resnet152"):
            self.assertGreater(self.grid.figure("speedup", model, "ring", 2), 1, model)

    def test_ring_beats_parameter_server(self):
        self.assertEqual(findings.ring_beats_parameter_server(self.grid), [])


if __name__ == "__main__":
    ThesisFindingsTest.result = Path(sys.argv.pop())
    unittest.main()
