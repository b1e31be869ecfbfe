"""What the figure of a calibration shows."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from context import DATA
from figure import draw, lines, table_rows
from results import MissingFile, ResultError


class CalibrationTest(unittest.TestCase):
    def test_the_fit_and_how_far_each_median_is_from_it(self):
        times, errors = draw("calibration").axes[:2]
        self.assertEqual(lines(times)["fit"], ([1, 512, 32768, 1048576], [2e-5, 2e-5, 1.37726e-3, 4.40412e-2]))
        off = [y for line in errors.get_lines() for y in line.get_ydata() if len(line.get_ydata()) == 4]
        self.assertAlmostEqual(off[0], -100 / 21)
        self.assertEqual(off[1], 0)

    def test_what_is_sent_unasked_was_fitted_to_one_way(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "calibration.yaml"
            file.write_text("eager_bytes: 4096\n" + (DATA / "calibration.yaml").read_text())
            errors = lines(draw("calibration", file).axes[1])
        self.assertEqual(errors["one way"], ([1], [0]))
        self.assertEqual(errors["both ways at once"][0], [512, 32768, 1048576])

    def test_all_reduces_in_memory_have_a_fit_of_their_own(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "calibration.yaml"
            file.write_text((DATA / "calibration.yaml").read_text() + "all_reduce:\n" + "".join(
                f"  - {{bytes: {size:>8}, seconds: {seconds:.5e}, low: {seconds:.5e}, high: {seconds:.5e}, fitted: 1.00000e-04}}\n"
                for size, seconds in ((256, 1e-4), (65536, 2e-4))))
            times, errors = draw("calibration", file).axes[:2]
        self.assertEqual(lines(errors)["all-reduce in memory"], ([256, 65536], [0, -50]))
        self.assertEqual(lines(times)["all-reduce in memory"][0], [256, 65536])
        self.assertIn([1e-4, 1e-4], [list(line.get_ydata()) for line in times.get_lines()])

    def test_the_table_has_every_median_its_quartiles_and_how_far_the_fit_is_off(self):
        rows = table_rows(draw("calibration"))
        self.assertEqual([(row["series"], row["mark"], row["from"], row["to"]) for row in rows if row["x"] == "32768"],
                         [("both ways at once", "line", "", "0.0014"), ("one way", "line", "", "0.001"), ("fit", "line", "", "0.00137726"),
                          ("both ways at once", "spread", "0.00138", "0.00141"), ("one way", "spread", "0.0009", "0.0011"),
                          ("both ways at once", "line", "", "-1.62428571")])

    def test_a_median_that_is_not_between_its_quartiles_is_told(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "calibration.yaml"
            text = (DATA / "calibration.yaml").read_text()
            file.write_text(text.replace("low: 1.38000e-03", "low: 9"))
            self.assertNotEqual(file.read_text(), text)
            number = next(at for at, line in enumerate(file.read_text().splitlines(), 1) if "low: 9" in line)
            with self.assertRaises(ResultError) as caught:
                draw("calibration", file)
        self.assertEqual(str(caught.exception), f"{file}:{number}: the median is not between the quartiles, 'low' and 'high'; calibrate again")

    def refusal(self, given: Path) -> str:
        with self.assertRaises(MissingFile) as caught:
            draw("calibration", given)
        return str(caught.exception)

    def test_of_what_is_none_it_is_told_what_one_is(self):
        what = "a calibration is a folder that tandem calibrate writes"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.assertEqual(self.refusal(folder), f"{folder}/calibration.yaml: no such file; {what}")
            self.assertEqual(self.refusal(folder / "none"), f"{folder}/none: no such file; {what}")
            run, summary = folder / "predicted" / "run.json", folder / "predicted" / "summary.csv"
            run.parent.mkdir()
            run.write_text('{"points": []}')
            summary.write_text("workers\n1\n")
            (folder / "comparison.csv").touch()
            for result, told in ((folder, folder), (run.parent, run.parent), (summary, run.parent)):
                self.assertEqual(self.refusal(result), f"{told}: this is a result, and no calibration; {what}")
            point = {"scenario": {"algorithm": {"name": "none"}, "workers": 1, "model": "vgg16"},
                     "environment": {"platform_file": f"{folder}/calibration/platform.xml"}}
            run.write_text(json.dumps({"points": [point]}))
            (folder / "calibration").mkdir()
            shutil.copy(DATA / "calibration.yaml", folder / "calibration")
            for result in (folder, run.parent):
                self.assertEqual(self.refusal(result), f"{result}: this is a result, and no calibration; "
                                                       f"take {folder}/calibration, whose platform was simulated")

    def test_its_platform_will_do_too(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(DATA / "calibration.yaml", folder)
            (Path(folder) / "platform.xml").touch()
            self.assertEqual(table_rows(draw("calibration", Path(folder) / "platform.xml")), table_rows(draw("calibration")))


if __name__ == "__main__":
    unittest.main()
