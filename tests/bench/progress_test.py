"""What a bench says of how far it is."""

import contextlib
import io
import time
import unittest

from progress import COLUMNS, Progress


class ProgressTest(unittest.TestCase):
    def test_what_is_left_takes_as_long_as_its_weight_says(self):
        progress = Progress([1, 3, 2])
        self.assertEqual(progress.left(), "")
        progress.done, progress.seconds = 1, 600
        self.assertEqual(progress.left(), "50 min left")
        progress.began = time.monotonic() - 1200  # so much of the next one is done
        self.assertEqual(progress.left(), "30 min left")

    def test_a_line_fits_a_terminal(self):
        progress = Progress([1, 1])
        progress.done, progress.seconds = 1, 60
        line = progress.line("a very long name " * 10, 125)
        self.assertTrue(line.startswith("[#####.....] 1/2  a very long name"), line)
        self.assertIn("  2:05  ", line)
        self.assertLess(len(line), COLUMNS)

    def test_who_raises_is_not_done(self):
        progress, out = Progress([1, 1]), io.StringIO()
        with contextlib.suppress(KeyError), progress.doing("one"):
            raise KeyError
        self.assertEqual(progress.done, 0)
        with progress.doing("one"):
            pass
        with contextlib.redirect_stdout(out):
            progress.tell("one: 5 s")
        self.assertEqual(out.getvalue(), "[1/2] one: 5 s; 0 min left\n")


if __name__ == "__main__":
    unittest.main()
