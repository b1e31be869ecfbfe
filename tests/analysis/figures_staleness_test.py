"""What the figure of stale updates shows."""

import unittest

from figure import draw, lines, panel


class StalenessTest(unittest.TestCase):
    def test_shares_of_the_updates(self):
        axes = panel(draw("staleness"), "MNIST CNN")
        self.assertEqual(lines(axes), {"asynchronous parameter server, 2 workers": ([0, 1], [25, 75]),
                                       "asynchronous parameter server, 4 workers": ([1, 2, 3], [5, 10, 85])})


if __name__ == "__main__":
    unittest.main()
