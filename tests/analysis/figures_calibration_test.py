"""What the figure of a calibration shows."""

import unittest

from figure import draw, lines, table_rows


class CalibrationTest(unittest.TestCase):
    def test_the_fit_and_how_far_each_median_is_from_it(self):
        times, errors = draw("calibration").axes[:2]
        self.assertEqual(lines(times)["fit"], ([1, 512, 32768, 1048576], [2e-5, 2e-5, 1.37726e-3, 4.40412e-2]))
        off = [y for line in errors.get_lines() for y in line.get_ydata() if len(line.get_ydata()) == 4]
        self.assertAlmostEqual(off[0], -100 / 21)
        self.assertEqual(off[1], 0)

    def test_the_table_has_every_median_its_quartiles_and_how_far_the_fit_is_off(self):
        rows = table_rows(draw("calibration"))
        self.assertEqual([(row["series"], row["mark"], row["from"], row["to"]) for row in rows if row["x"] == "32768"],
                         [("both ways at once", "line", "", "0.0014"), ("one way", "line", "", "0.001"), ("fit", "line", "", "0.00137726"),
                          ("both ways at once", "spread", "0.00138", "0.00141"), ("one way", "spread", "0.0009", "0.0011"),
                          ("both ways at once", "line", "", "-1.62428571")])


if __name__ == "__main__":
    unittest.main()
