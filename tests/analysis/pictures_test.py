"""Every kind of figure looks as its reference does, and says the same: see pictures.py.

A picture that differs is left, with one of where it does, in the folder that is the argument, or in one for temporary files.
"""

import sys
import tempfile
import unittest
from pathlib import Path

import pictures
from figures import KINDS

LEFT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "tandem_pictures"


class PicturesTest(unittest.TestCase):
    def test_every_kind_has_a_picture(self):
        self.assertEqual({kind for kind, *_ in pictures.PICTURES.values()}, set(KINDS))

    def test_every_reference_is_of_a_picture(self):
        self.assertEqual({file.stem for file in pictures.REFERENCE.glob("*.png")}, set(pictures.PICTURES))
        self.assertEqual({file.stem for file in pictures.REFERENCE.glob("*.txt")}, set(pictures.PICTURES))

    def test_pictures_look_as_their_references(self):
        for name in pictures.PICTURES:
            with self.subTest(picture=name), tempfile.TemporaryDirectory() as folder:
                made = pictures.make(name, Path(folder))
                self.assertEqual(made.with_suffix(".txt").read_text(encoding="utf-8"),
                                 (pictures.REFERENCE / f"{name}.txt").read_text(encoding="utf-8"), "its words or its table")
                self.assertEqual("", pictures.problem(name, made, LEFT))


if __name__ == "__main__":
    unittest.main()
