"""What the figure of a worker's memory shows."""

import unittest

from figure import draw, legend_texts


class MemoryTest(unittest.TestCase):
    def test_stages_stack_the_parts(self):
        (axes,) = [axes for axes in draw("memory").axes if axes.patches]
        self.assertEqual([tick.get_text() for tick in axes.get_xticklabels()], [f"ZeRO-{stage}" for stage in range(4)])
        tops = [max(bar.get_y() + bar.get_height() for bar in axes.patches if round(bar.get_x() + 0.35) == stage)
                for stage in range(4)]
        self.assertEqual([round(top, 9) for top in tops], [4.5, 3, 2.25, 1.7])
        self.assertEqual(axes.get_ylabel(), "memory of a worker (GB)")

    def test_parts_that_nobody_holds_are_not_named(self):
        self.assertEqual(legend_texts(draw("memory")),
                         ["weights", "gradients", "optimizer state", "gathered layers", "activations"])


if __name__ == "__main__":
    unittest.main()
