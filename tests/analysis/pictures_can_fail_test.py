"""What a reader would notice makes the comparison of pictures fail, and what nobody would doesn't."""

import functools
import io
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

import pictures
import matplotlib
import numpy
import style
from figures import KINDS, draw
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

SEEN = 3  # pixels: a shift that a reader would notice
# Lines, bars on and beside each other, points with error bars, spans of time, and a network. All pictures take 40 s.
SAMPLES = ["speedup", "breakdown", "compare", "calibration", "timeline", "topology"]


@functools.cache
def whole_picture(name: str) -> numpy.ndarray:
    return picture(drawn(name))


def drawn(name: str) -> Figure:
    kind, result, width = pictures.PICTURES[name]
    figure = draw(KINDS[kind], [str(result)], width)
    figure.draw_without_rendering()
    return figure


def picture(figure: Figure) -> numpy.ndarray:
    written = io.BytesIO()
    figure.savefig(written, format="png")
    return pictures.read(written)


def series(figure: Figure) -> dict[str, list[Artist]]:
    """The artists of each: its lines, bars or spans, in all panels."""
    found: dict[str, list[Artist]] = defaultdict(list)
    for axes in (axes for axes in figure.axes if axes.axison):
        for line in axes.get_lines():
            found[line.get_label()].append(line)
        for container in axes.containers:
            for bar in getattr(container, "patches", []):
                found[bar.get_gid() or container.get_label()].append(bar)
        for patch in axes.patches:
            if isinstance(patch, PathPatch):
                found[patch.get_gid() or patch.get_label()].append(patch)
    return {name: artists for name, artists in found.items() if not name.startswith(("_child", "_nolegend"))}


def grow(axes: Axes) -> None:
    """Makes the largest value of a panel 5 % larger: a point of a line, the bars on each other, or a member's spans of time."""
    spans = [patch for patch in axes.patches if isinstance(patch, PathPatch)]
    if spans:
        max(spans, key=lambda span: span.get_path().vertices[:, 0].max()).get_path().vertices[:, 0] *= 1.05
    elif axes.patches:
        tallest = max(axes.patches, key=lambda bar: bar.get_y() + bar.get_height())
        for bar in axes.patches:
            if bar.get_x() == tallest.get_x():
                bar.set(y=1.05 * bar.get_y(), height=1.05 * bar.get_height())
    else:
        line = max((line for line in axes.get_lines() if len(line.get_xdata()) > 2), key=lambda line: max(line.get_ydata()))
        values = numpy.array(line.get_ydata(), float)
        values[values.argmax()] *= 1.05
        line.set_ydata(values)


def is_drawn(text: Text, figure: Figure) -> bool:
    """Ticks beyond the ends of their axis have texts too, which are not."""
    for axis in (axis for axes in figure.axes if axes.axison for axis in (axes.xaxis, axes.yaxis)):
        for tick in axis.get_major_ticks() + axis.get_minor_ticks():
            if text in (tick.label1, tick.label2):
                low, high = sorted(axis.get_view_interval())
                return tick.get_visible() and text.get_visible() and low <= tick.get_loc() <= high
    return text.get_visible()


class CanFailTest(unittest.TestCase):
    def setUp(self):
        settings = matplotlib.rc_context(pictures.SETTINGS)
        settings.__enter__()
        self.addCleanup(settings.__exit__, None, None, None)

    def of_each(self, test) -> None:
        """Calls test(whole, figure, name) with each of the samples, and a figure that draws it."""
        for name in SAMPLES:
            with self.subTest(picture=name):
                test(whole_picture(name), drawn(name), name)

    def require_different(self, one: numpy.ndarray, other: numpy.ndarray, what: str) -> None:
        self.assertGreater(pictures.difference(one, other).max(), pictures.LIMIT, what)

    def test_a_shift_by_a_pixel_is_no_difference_but_one_that_is_seen(self):
        def test(whole, _figure, _name):
            for axis in (0, 1):
                for by in (-1, 1):
                    self.assertEqual(pictures.difference(whole, numpy.roll(whole, by, axis)).max(), 0)
                self.require_different(whole, numpy.roll(whole, SEEN, axis), f"axis {axis}")

        self.of_each(test)

    def test_other_sizes_have_no_difference(self):
        whole = numpy.zeros((8, 8, 3))
        self.assertIsNone(pictures.difference(whole, whole[1:]))

    def test_what_differs_is_left_and_named(self):
        with tempfile.TemporaryDirectory() as folder:
            made, kept = Path(folder) / "made.png", Path(folder) / "kept"
            figure = drawn("timeline")

            def require(problem: str) -> None:
                figure.savefig(made)
                self.assertRegex(pictures.problem("timeline", made, kept), f"kept/timeline.png {problem}")
                self.assertEqual((kept / "timeline.png").read_bytes(), made.read_bytes())

            figure.axes[0].set_visible(False)
            require("differs from .*/timeline.png by [0-9.]+, more than 8; .*kept/timeline_difference.png shows where")
            figure.set_figheight(5)
            require("is 350 x 500 pixels, .*/timeline.png 350 x 161")
            self.assertGreater(numpy.ptp(pictures.read(kept / "timeline_difference.png")), 200)  # red, and almost white
            made.write_bytes((pictures.REFERENCE / "timeline.png").read_bytes())
            self.assertEqual(pictures.problem("timeline", made, kept / "none"), "")
            self.assertFalse((kept / "none").exists())

    def test_a_text_that_misses(self):
        def test(whole, figure, _name):
            texts = [text for text in figure.findobj(Text) if text.get_text().strip() and is_drawn(text, figure)]
            places = [text.get_window_extent() for text in texts]
            for text in texts:
                text.set_alpha(0)  # which leaves all else where it was
            found = pictures.difference(whole, picture(figure))
            for text, place in zip(texts, places):
                rows = slice(max(0, int(len(found) - place.y1)), int(len(found) - place.y0) + 1)
                part = found[rows, max(0, int(place.x0)):int(place.x1) + 1]
                self.assertGreater(part.max(), pictures.LIMIT, text.get_text())

        self.of_each(test)

    def test_a_series_that_misses(self):
        def test(whole, figure, _name):
            for label, artists in series(figure).items():
                for artist in artists:
                    artist.set_visible(False)
                self.require_different(whole, picture(figure), label)
                for artist in artists:
                    artist.set_visible(True)

        self.of_each(test)

    def test_another_colour(self):
        def test(whole, figure, _name):
            label, artists = next(iter(series(figure).items()))
            for artist in artists:
                own = "color" if isinstance(artist, Line2D) else "facecolor"
                before = to_hex(matplotlib.artist.getp(artist, own)).upper()
                artist.set(**{own: style.PURPLE if before != style.PURPLE else style.GREEN})
            self.require_different(whole, picture(figure), label)

        self.of_each(test)

    def test_a_legend_that_is_shifted(self):
        def test(whole, figure, _name):
            (legend,) = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
            legend.set_bbox_to_anchor(legend.get_bbox_to_anchor().translated(SEEN, 0), transform=IdentityTransform())
            self.require_different(whole, picture(figure), "legend")

        self.of_each(test)

    def test_a_value_that_is_5_percent_larger(self):
        """But on a logarithmic axis, on which that is less than a pixel, and of a link, which has one of five widths.

        These are in the words and the table, that are compared with the pictures'.
        """
        def test(whole, figure, name):
            panels = [axes for axes in figure.axes if axes.axison and axes.get_yscale() != "log"]
            if name == "topology" or not panels:
                return
            grow(panels[0])
            self.require_different(whole, picture(figure), name)

        self.of_each(test)


if __name__ == "__main__":
    unittest.main()
