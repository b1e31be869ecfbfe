"""pairwise_findings_test.py RESULT: the report's findings hold in RESULT/summary.csv, of scenarios/pairwise_mnist.yaml."""

import csv
import sys
import unittest
from pathlib import Path

import pairwise_findings as findings


class PairwiseFindingsTest(unittest.TestCase):
    result: Path

    @classmethod
    def setUpClass(cls):
        with open(cls.result / "summary.csv", newline="", encoding="utf-8") as stream:
            cls.table = findings.Table(list(csv.DictReader(stream)))

    def test_the_table_is_whole(self):
        self.assertEqual(self.table.missing(), [])

    def test_a_pass_moves_the_model_once(self):
        self.assertEqual(findings.a_pass_moves_the_model_once(self.table), [])

    def test_more_passes_never_send_fewer_bytes(self):
        self.assertEqual(findings.more_passes_never_send_fewer_bytes(self.table), [])

    def test_accuracy_recovers_with_iterations(self):
        self.assertEqual(findings.accuracy_recovers_with_iterations(self.table), [])


if __name__ == "__main__":
    PairwiseFindingsTest.result = Path(sys.argv.pop())
    unittest.main()
