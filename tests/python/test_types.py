"""The types and constants of _types.py against those of a compiler; how the library is found."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import TOP

import libbinade
from libbinade import _native, _types

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(libbinade.__file__)))


def structures():
    found = [value for value in vars(_types).values() if isinstance(value, type)
             and issubclass(value, ctypes.Structure)]
    return [t for t in found if hasattr(t, "_fields_")]


def facts():
    """The C expression of every size, offset and constant, and what Python has for it."""
    found = {}
    for t in structures():
        found[f"sizeof({t.__name__})"] = ctypes.sizeof(t)
        found.update({f"offsetof({t.__name__}, {name})": getattr(t, name).offset for name, _ in t._fields_})
        found.update({f"sizeof((({t.__name__} *)0)->{name})": getattr(t, name).size for name, _ in t._fields_})
    found.update({name: value for name, value in vars(_types).items() if name.startswith("BND_")})
    return found


def program(expressions):
    lines = "\n".join(f'    printf("%lld\\n", (long long)({e}));' for e in expressions)
    return ("#include <binade.h>\n#include <binade-lab.h>\n#include <stddef.h>\n#include <stdio.h>\n"
            f"int main(void)\n{{\n{lines}\n    return 0;\n}}\n")


class Types(unittest.TestCase):
    def test_compiler(self):
        """Every size, offset and constant is the compiler's."""
        compiler = next((c for c in (os.environ.get("CC", "").split() or [""], ["cc"], ["gcc"], ["clang"])
                         if c[0] and shutil.which(c[0])), None)
        if compiler is None or not os.path.exists(os.path.join(TOP, "include/binade.h")):
            self.skipTest("a C compiler and the headers are needed")
        python = facts()
        self.assertGreater(len(python), 1000)
        with tempfile.TemporaryDirectory() as folder:
            source, made = os.path.join(folder, "types.c"), os.path.join(folder, "types")
            with open(source, "w") as file:
                file.write(program(python))
            subprocess.run([*compiler, "-std=c17", "-I", os.path.join(TOP, "include"), source, "-o", made], check=True)
            printed = subprocess.run([made], stdout=subprocess.PIPE, check=True).stdout.decode().split()
        self.assertEqual({e: v for e, v in python.items()}, dict(zip(python, map(int, printed))))

    def test_every_call_is_there(self):
        for name in [*_types.NUMBER, *_types.LAB]:
            self.assertTrue(callable(getattr(_native.lib, name)), name)

    def test_no_other_call(self):
        with self.assertRaisesRegex(AttributeError, "bnd_nothing"):
            _native.lib.bnd_nothing


class Loading(unittest.TestCase):
    def run_python(self, program, **environment):
        environment = dict(os.environ, PYTHONPATH=FOLDER, **environment)
        return subprocess.run([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)

    def test_missing_library(self):
        run = self.run_python("import libbinade", BINADE_LIBRARY="/nowhere/libbinade.so")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("Set BINADE_LIBRARY to the folder of the shared libraries", run.stderr)

    def test_file_and_folder(self):
        path = _native.lib._handle("binade")._name
        for where in (path, os.path.dirname(path)):
            run = self.run_python("import libbinade; print(libbinade.Format('e4m3').max)", BINADE_LIBRARY=where)
            self.assertEqual((run.stdout.strip(), run.stderr), ("448.0", ""))

    def test_without_numpy(self):
        """Formats need no numpy; arrays say what is missing."""
        program = ("import sys; sys.modules['numpy'] = None\nimport libbinade as bd\n"
                   "print(bd.Format('e4m3').max, bd.show(0.1, 'e4m3').value, bd.calc('fp16', '1/3').value)\n"
                   "try:\n    bd.encode([1.0], 'e4m3')\nexcept ImportError as why:\n    print(why)")
        run = self.run_python(program)
        self.assertEqual(run.stdout.split("\n")[:2],
                         ["448.0 0.1015625 0.333251953125", "arrays need numpy (Debian, Ubuntu: python3-numpy)"])

    def test_no_import_by_itself(self):
        run = self.run_python("import libbinade as bd, sys\nbd.encode([1.0], 'e4m3'), bd.quantize([[1.0]], 'nvfp4')\n"
                              "heavy = 'torch', 'ml_dtypes', 'jax', 'matplotlib', 'pandas'\n"
                              "print([m for m in heavy if m in sys.modules])")
        self.assertEqual((run.stdout.strip(), run.stderr), ("[]", ""))

    def test_other_version(self):
        """A library of another version is refused."""
        program = ("import sys, types\nfrom importlib import util\n"
                   "spec = util.find_spec('libbinade')\npackage = util.module_from_spec(spec)\n"
                   "sys.modules['libbinade'] = package\nimport libbinade._types as t\nt.VERSION = '99.0'\n"
                   "import libbinade._native")
        run = self.run_python(program)
        self.assertIn("and this package is 99.0", run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
