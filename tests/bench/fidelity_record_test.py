"""What of measurements is kept, and what means are of."""

import os
import tempfile
import unittest

import fidelity_record
from fidelity_record import KEY, NUMBERS, PROVENANCE, keep, mean_of, merged, summary_line

ORDER = [("mnist_cnn", "1 Gbit/s", hosts, "ring") for hosts in (2, 3, 4)]


def cell(hosts: int, repeats: int, error: float, **figures) -> dict:
    return {**dict(zip(KEY, ("mnist_cnn", "1 Gbit/s", hosts, "ring"))), "device": "paced:k80", "repeats": repeats,
            "is_predicted_first": True,
            "is_processor_bound": False, **dict.fromkeys(PROVENANCE, ""), **dict.fromkeys(NUMBERS), "error_percent": error, **figures}


class RecordTest(unittest.TestCase):
    def test_what_was_measured_more_often_stays(self):
        kept = [cell(3, 5, 1.0), cell(2, 1, 2.0)]
        cells = merged(kept, [cell(3, 1, 9.0), cell(2, 5, 3.0)], ORDER)
        self.assertEqual([(c["hosts"], c["error_percent"]) for c in cells], [(2, 3.0), (3, 1.0)])

    def test_of_as_many_the_later_counts(self):
        self.assertEqual(merged([cell(2, 5, 1.0)], [cell(2, 5, 2.0)], ORDER)[0]["error_percent"], 2.0)

    def test_a_cell_of_no_matrix_is_not_dropped_in_silence(self):
        with self.assertRaisesRegex(ValueError, "no cell of the matrix"):
            merged([cell(6, 5, 1.0)], [], ORDER)

    def test_a_file_gives_back_what_it_was_given(self):
        cells = [cell(2, 5, -0.25, measured_s=0.125), cell(4, 1, 3.0, is_processor_bound=None)]
        folder, before = tempfile.TemporaryDirectory(), os.getcwd()
        with folder as name:
            os.chdir(name)
            try:
                fidelity_record.FILE.parent.mkdir()
                self.assertEqual(keep(cells, ORDER), cells)
                self.assertEqual(keep([], ORDER), cells)
            finally:
                os.chdir(before)

    def test_a_mean_says_of_how_many_it_is(self):
        cells = [cell(2, 5, 1.0, naive_error_percent=-20.0), cell(3, 5, -3.0)]
        self.assertEqual(mean_of(cells, "error_percent"), (2.0, 2))
        self.assertEqual(mean_of(cells, "naive_error_percent"), (20.0, 1))
        self.assertIsNone(mean_of(cells, "speedup_error_percent"))
        self.assertEqual(summary_line(cells)[-3:], ["", "", "20 % of 1 (1.0 %)"])


if __name__ == "__main__":
    unittest.main()
