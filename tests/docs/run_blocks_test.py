"""Which blocks of a document run, and that a failing one is noticed."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from run_blocks import blocks

DOCUMENT = """Text
```sh
./dev demo
echo one
```
```console
false
```
```sh no-test
false
```
```sh
./dev test
```
"""


class BlocksTest(unittest.TestCase):
    def test_only_runnable_blocks_and_commands_are_found(self):
        self.assertEqual(blocks(DOCUMENT, on_gpu=False), ["echo one"])

    def test_what_takes_a_gpu_computes_on_the_processor_without_one(self):
        document = "```sh gpu\ntandem run a --device cuda\n```\n```sh\necho --device cuda\n```\n"
        self.assertEqual(blocks(document, on_gpu=True)[0], "tandem run a --device cuda")
        self.assertEqual(blocks(document, on_gpu=False), ["tandem run a --device cpu", "echo --device cuda"])
        with self.assertRaisesRegex(ValueError, "without '--device cuda'"):
            blocks("```sh gpu\ntandem run a --device=cuda\n```\n", on_gpu=False)

    def test_what_is_the_readmes_is_run_with_that(self):
        document = "```sh readme\necho one\n```\n```sh\necho two\n```\n"
        self.assertEqual(blocks(document, on_gpu=False, readme="```sh\necho one\n```\n"), ["echo two"])
        with self.assertRaisesRegex(ValueError, "the README hasn't: echo one"):
            blocks(document, on_gpu=False, readme="```sh\necho other\n```\n")

    def exit_code_of(self, document: str) -> int:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "document.md"
            file.write_text(document)
            (Path(folder) / "README.md").touch()
            command = [sys.executable, "-B", Path(__file__).parent / "run_blocks.py", file]
            return subprocess.run(command, env=os.environ | {"TANDEM_SOURCE": folder},
                                  capture_output=True, check=False).returncode

    def test_a_failing_command_fails(self):
        self.assertEqual(self.exit_code_of("```sh\necho one\nfalse\necho two\n```\n"), 1)

    def test_commands_that_work_pass(self):
        self.assertEqual(self.exit_code_of(DOCUMENT), 0)


if __name__ == "__main__":
    unittest.main()
