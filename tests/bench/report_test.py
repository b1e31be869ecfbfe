"""What becomes of a document's table."""

import tempfile
import unittest
from pathlib import Path

import report

HEADER = ["ranks", "size", "ratio"]


class DocumentTest(unittest.TestCase):
    def table_after(self, lines: list[list[str]], keys: int) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "doc.md")
            file.write_text("before\n<!-- t -->\n| ranks | size | ratio |\n| --- | --- | --- |\n| 2 | 4 KiB | 1.0 |\n| 4 | 4 KiB | 1.1 |\n"
                            "<!-- end of t -->\nafter\n", encoding="utf-8")
            report.write_document(str(file), "t", HEADER, lines, keys)
            text = file.read_text(encoding="utf-8").splitlines()
        self.assertEqual([text[0], text[-1]], ["before", "after"])
        return text[4:-2]

    def test_lines_of_something_else_stay(self):
        self.assertEqual(self.table_after([["2", "4 KiB", "0.9"], ["2", "1 MiB", "0.8"]], 2),
                         ["| 2 | 4 KiB | 0.9 |", "| 2 | 1 MiB | 0.8 |", "| 4 | 4 KiB | 1.1 |"])
        self.assertEqual(self.table_after([["6", "4 KiB", "0.9"]], 2)[-1], "| 6 | 4 KiB | 0.9 |")

    def test_a_table_without_keys_is_replaced(self):
        self.assertEqual(self.table_after([["6", "4 KiB", "0.9"]], 0), ["| 6 | 4 KiB | 0.9 |"])


if __name__ == "__main__":
    unittest.main()
