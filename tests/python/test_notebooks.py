"""The notebooks of doc/notebooks: every cell runs, and prints what the notebook shows."""
import glob
import json
import os
import unittest

from support import TOP
import notebooks

PATHS = sorted(glob.glob(os.path.join(TOP, "doc/notebooks/*.ipynb")))


def needs_torch(path):
    with open(path, encoding="utf-8") as file:
        return "import torch" in file.read()


class Notebooks(unittest.TestCase):
    def test_every_cell(self):
        self.assertGreaterEqual(len(PATHS), 3)
        for path in PATHS:
            with self.subTest(os.path.basename(path)):
                if needs_torch(path):
                    try:
                        import torch  # noqa: F401
                    except ImportError:
                        continue
                self.assertEqual(notebooks.run(path), [])

    def test_the_runner_sees_a_failing_cell_and_another_output(self):
        cell = {"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "source": ["1 + 1"], "outputs": [
            {"data": {"text/plain": ["3"]}, "execution_count": 1, "metadata": {}, "output_type": "execute_result"}]}
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"notebook-{os.getpid()}.ipynb")
        for source, words in (("1 + 1", "+2"), ("1 / 0", "ZeroDivisionError")):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"cells": [dict(cell, source=[source])]}, file)
            try:
                self.assertIn(words, "\n".join(notebooks.run(path)))
            finally:
                os.remove(path)

    def test_the_format(self):
        """The files are notebooks of format 4.5, by nbformat where it is installed."""
        for path in PATHS:
            with open(path, encoding="utf-8") as file:
                notebook = json.load(file)
            self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5), path)
            ids = [cell["id"] for cell in notebook["cells"]]
            self.assertEqual(len(set(ids)), len(ids), path)
            try:
                import nbformat
            except ImportError:
                continue
            nbformat.validate(notebook)


if __name__ == "__main__":
    unittest.main()
