"""The examples in the package's texts and in the tutorial."""
import doctest
import importlib
import os
import pkgutil
import unittest

from support import TOP

import libbinade


class Documents(unittest.TestCase):
    def test_docstrings(self):
        """Every example in a docstring of the package gives what it shows."""
        tried = 0
        for module in pkgutil.walk_packages(libbinade.__path__, "libbinade."):
            if module.name.startswith(("libbinade.torch", "libbinade.shims")):  # these need torch, and have tests
                continue
            failed, count = doctest.testmod(importlib.import_module(module.name))
            self.assertEqual(failed, 0, module.name)
            tried += count
        self.assertGreater(tried, 10)

    def test_pages(self):
        """The sessions in the pages print what the pages show."""
        for page in ("tutorials/library-python.md", "how-to/test-your-kernels.md",
                     "how-to/train-and-scan-in-python.md"):
            with self.subTest(page):
                path = os.path.join(TOP, "doc", page)
                failed, tried = doctest.testfile(path, module_relative=False, encoding="utf-8")
                self.assertGreater(tried, 5)
                self.assertEqual(failed, 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
