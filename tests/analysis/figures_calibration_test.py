"""What the figure of a calibration shows."""

import unittest

from figure import draw, lines


class CalibrationTest(unittest.TestCase):
    def test_the_fit_and_how_far_each_median_is_from_it(self):
        times, errors = draw("calibration").axes[:2]
        self.assertEqual(lines(times)["fit"], ([1, 512, 32768, 1048576], [2e-5, 2e-5, 1.37726e-3, 4.40412e-2]))
        off = [y for line in errors.get_lines() for y in line.get_ydata() if len(line.get_ydata()) == 4]
        self.assertAlmostEqual(off[0], -100 / 21)
        self.assertEqual(off[1], 0)


if __name__ == "__main__":
    unittest.main()
