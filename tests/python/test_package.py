"""The backend that makes wheels and source distributions, and the package's version."""
import importlib.util
import io
import os
import re
import tarfile
import tempfile
import unittest

from support import BUILD, TOP

import libbinade as bd

BACKEND = os.path.join(TOP, "tools/python/backend/libbinade_build.py")


@unittest.skipUnless(os.path.exists(BACKEND), "the backend is not here")
class Backend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        spec = importlib.util.spec_from_file_location("libbinade_build", BACKEND)
        cls.backend = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cls.backend)

    def test_version(self):
        """One version: that of configure.ac, of the library and of the package."""
        self.assertEqual(self.backend.version(), bd.__version__)
        self.assertIn(f"Version: {bd.__version__}\n", self.backend.metadata())

    def test_every_file(self):
        """A wheel has the files that `make install` installs."""
        with open(os.path.join(TOP, "tools/python/local.mk"), encoding="utf-8") as file:
            listed = re.findall(r"^\ttools/python/(libbinade/\S+)", file.read(), re.MULTILINE)
        self.assertEqual(sorted(name for name, _ in self.backend.python_files()), sorted(listed))

    def test_elf(self):
        """The search path of a library becomes its own folder; nothing else changes."""
        path = next((p for p in self.backend.own_libraries(BUILD) if "lab" in p), None)
        data = self.backend.read_bytes(path)
        if data[:4] != b"\x7fELF":
            self.skipTest("the libraries are not ELF files")
        elf = self.backend.Elf(data)
        self.assertRegex(elf.names(elf.SONAME)[0], r"^libbinade-lab-")
        self.assertIn("libmpfr.so.6", elf.names(elf.NEEDED))
        moved = self.backend.beside_itself(data)
        self.assertEqual((len(moved), self.backend.Elf(moved).names(elf.NEEDED)), (len(data), elf.names(elf.NEEDED)))
        for found in self.backend.Elf(moved).names(elf.RPATH, elf.RUNPATH):
            self.assertEqual(found, "$ORIGIN")

    def test_platform(self):
        """The tag follows the newest symbol of the C library, and a library that is nowhere takes the promise away."""
        path = self.backend.own_libraries(BUILD)[0]
        data = self.backend.read_bytes(path)
        if data[:4] != b"\x7fELF" or "musl" in os.popen("ldd --version 2>&1").read():
            self.skipTest("not Linux with glibc")
        names = self.backend.Elf(data).names(1)
        others = {name: data for name in names}
        newest = max(map(int, re.findall(rb"GLIBC_2\.(\d+)", data)))
        self.assertTrue(self.backend.platform_tag(others).startswith(f"manylinux_2_{max(newest, 17)}_"))
        if any(not name.startswith(self.backend.SYSTEM) for name in names):
            self.assertTrue(self.backend.platform_tag({"libbinade.so": data}).startswith("linux_"))

    def test_sdist(self):
        with tempfile.TemporaryDirectory() as folder:
            release = os.path.join(folder, "binade-1.tar.gz")
            with tarfile.open(release, "w:gz") as made:
                member = tarfile.TarInfo("binade-1/configure.ac")
                member.size = 3
                made.addfile(member, io.BytesIO(b"abc"))
            name = self.backend.make_sdist(folder, release)
            base = f"libbinade-{bd.__version__}"
            self.assertEqual(name, base + ".tar.gz")
            with tarfile.open(os.path.join(folder, name)) as made:
                self.assertEqual(made.getnames(),
                                 [f"{base}/{n}" for n in ("configure.ac", "PKG-INFO", "pyproject.toml")])
                self.assertIn(b"tools/python/backend", made.extractfile(f"{base}/pyproject.toml").read())


if __name__ == "__main__":
    unittest.main(verbosity=1)
