"""libbinade.checkpoints: arrays, and the answers of the commands scan, lint, quantize, relayout and diff."""
import os
import struct
import unittest

import numpy as np

import libbinade as bd
from libbinade import checkpoints
from lab import Case, command, model, numbers, plain, safetensors


class Checkpoints(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = model(os.path.join(cls.folder, "base"))

    def made(self, name, **options):
        """A quantized copy, made once."""
        path = self.at(name)
        if not os.path.exists(path):
            bd.quantize_checkpoint(self.base, path, **options)
        return path


class Open(Checkpoints):
    def test_arrays_are_views_of_the_file(self):
        with bd.open_checkpoint(self.base) as found:
            self.assertEqual(len(found), 7)
            self.assertEqual(found.kind, "safetensors")
            self.assertEqual(found.metadata, {"format": "pt"})
            self.assertEqual(found.config["model_type"], "llama")
            name = "model.layers.0.mlp.up_proj.weight"
            self.assertIn(name, found)
            array = found[name]
            self.assertEqual((array.dtype, array.shape), (np.uint16, (64, 128)))
            self.assertEqual(array.tobytes(), numbers(64 * 128, 6))
            self.assertFalse(array.flags.writeable)
            self.assertEqual(array.__array_interface__["data"][0], found[name].__array_interface__["data"][0])
        self.refuses("is closed", len, found)
        self.assertEqual(array.tobytes(), numbers(64 * 128, 6))  # the file stays mapped as long as there is an array

    def test_dtypes(self):
        path = self.at("kinds.safetensors")
        tensors = {"half": ("F16", [2, 1], struct.pack("<ee", 1.5, -2)), "byte": ("U8", [3], bytes([1, 2, 255])),
                   "whole": ("I64", [], struct.pack("<q", -5)), "none": ("F32", [0, 4], b""),
                   "fp8": ("F8_E4M3", [4], bytes([0x38, 0xB8, 0x7E, 0]))}
        safetensors(path, tensors)
        found = bd.open_checkpoint(path)
        self.assertEqual(found["half"].tolist(), [[1.5], [-2.0]])
        self.assertEqual(found["byte"].tolist(), [1, 2, 255])
        self.assertEqual((found["whole"].shape, int(found["whole"])), ((), -5))
        self.assertEqual(found["none"].shape, (0, 4))
        self.assertEqual((found["fp8"].dtype, found.dtype("fp8")), (np.uint8, "F8_E4M3"))
        self.assertEqual(found.weight("fp8").tolist(), [1.0, -1.0, 448.0, 0.0])

    def test_weights_are_decoded(self):
        with bd.open_checkpoint(self.made("fp8", to="e4m3")) as found, bd.open_checkpoint(self.base) as base:
            name = "model.layers.0.self_attn.q_proj.weight"
            self.assertEqual(sorted(found.weights), sorted(base.weights))
            how = found.describe(name)
            self.assertEqual((how.layout, how.shape), ("compressed-tensors/fp8-row", [64, 128]))
            self.assertEqual(how.parts["codes"], name)
            safetensors(self.at("all.safetensors"), {"codes": ("F8_E4M3", [256], bytes(range(256)))})
            table = bd.open_checkpoint(self.at("all.safetensors")).weight("codes").astype(np.float64)
            scales = (found[how.parts["scales"]].astype(np.uint32) << 16).view(np.float32)
            expected = (table[found[name]] * scales.reshape(-1, 1)).astype(np.float32)
            self.assertEqual(found.weight(name).tobytes(), expected.tobytes())
            error = np.abs(found.weight(name) - base.weight(name)).max()
            self.assertTrue(0 < error < 0.07, error)
            out = np.empty((64, 128), np.float32)
            self.assertIs(found.weight(name, out=out), out)
            self.assertEqual(out.tobytes(), found.weight(name, threads=2).tobytes())
            self.refuses("out must be", found.weight, name, out=np.empty((64, 128)))

    def test_refusals(self):
        self.refuses("No such file", bd.open_checkpoint, self.at("nothing"))
        self.refuses("must be a str or a path", bd.open_checkpoint, 3)
        self.refuses("NUL", bd.open_checkpoint, "a\0b")
        self.refuses("is empty", bd.open_checkpoint, "")
        self.refuses("has no tensor 'x'", bd.open_checkpoint(self.base).__getitem__, "x")
        self.refuses("has no weight 'x'", bd.open_checkpoint(self.base).weight, "x")
        self.refuses("must be a whole number", bd.open_checkpoint(self.base).weight, "model.norm.weight", threads=-1)

    def test_damage_is_told(self):
        path = self.at("long.safetensors")
        safetensors(path, {"w": ("F32", [1], struct.pack("<f", 1))})
        with open(path, "ab") as file:
            file.write(b"more")
        self.refuses("", bd.open_checkpoint, path)
        found = bd.open_checkpoint(path, strict=False)
        self.assertEqual([code for code, _, _ in found.damage], ["shard-oversized"])
        self.assertEqual(found["w"].tolist(), [1.0])


def told(*words):
    """What a command says with --json, without sentences."""
    found = command(*words)
    del found["answer"]
    return found


class Commands(Checkpoints):
    def test_scan(self):
        for options, words in (({}, ()),
                               ({"formats": "e4m3,nvfp4:4/6", "sqnr": 20}, ("--to", "e4m3,nvfp4:4/6", "--sqnr", 20)),
                               ({"formats": ["mxfp8:floor"], "only": "*.mlp.*", "skip": ["*up*"], "vectors": True,
                                 "max_underflow": 0.25, "threads": 1},
                                ("--to", "mxfp8:floor", "--only", "*.mlp.*", "--skip", "*up*", "--vectors",
                                 "--max-underflow", 0.25))):
            theirs = command("scan", self.base, *words)
            ours = bd.scan(self.base, **options)
            for text in ("answer", "limits"):  # sentences of the command
                del theirs[text]
            self.assertEqual(plain(ours), theirs)
        self.assertEqual(set(map(len, ours.columns.values())), {1})
        self.assertEqual(ours.columns["candidate"].tolist(), ["mxfp8:floor"])

    def test_scan_of_an_open_checkpoint(self):
        with bd.open_checkpoint(self.base) as found:
            self.assertEqual(bd.scan(found, "e4m3"), bd.scan(self.base, "e4m3"))

    def test_scan_refuses(self):
        self.refuses("unknown format 'e4m4row'", bd.scan, self.base, "e4m4row")
        self.refuses("no tensor with such a name", bd.scan, self.base, "e4m3", only="nothing*")
        self.refuses("from 0 to 1", bd.scan, self.base, "e4m3", max_underflow=2)
        self.refuses("at least one", bd.scan, self.base, [])
        self.refuses("must be a function", bd.scan, self.base, "e4m3", progress=3)

    def test_progress(self):
        seen = []
        bd.scan(self.base, "e4m3", progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen, sorted(seen))
        self.assertTrue(seen and seen[-1][0] == seen[-1][1] > 0, seen[-1:])

        def fails(done, total):
            raise RuntimeError("from the callback")
        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            bd.scan(self.base, "e4m3", progress=fails)
        with self.assertRaises(bd.Error) as caught:
            bd.scan(self.base, "e4m3", progress=lambda done, total: False)
        self.assertEqual(caught.exception.status, "BND_BAD_STREAM")

    def test_a_message_names_the_file(self):
        for call in (bd.open_checkpoint, bd.scan, bd.lint):
            with self.assertRaisesRegex(bd.Error, "^/nonexistent: cannot be opened"):
                call("/nonexistent")

    def test_lint(self):
        for path in (self.base, self.made("fp8", to="e4m3")):
            theirs, ours = command("lint", path), bd.lint(path)
            del theirs["answer"]
            self.assertEqual(plain(ours), theirs)
        self.assertTrue(ours.ok)
        only = bd.lint(self.base, loader="vllm")
        self.assertEqual([row["loader"] for row in only.layouts[0]["loaders"]], ["vLLM"])
        self.refuses("unknown loader 'nobody' (available: vLLM", bd.lint, self.base, loader="nobody")
        self.refuses("No such file", bd.lint, self.at("nothing"))

    def test_lint_finds_damage(self):
        path = self.at("bad.safetensors")
        name = "model.layers.0.mlp.up_proj.weight"
        safetensors(path, {name: ("F8_E4M3", [32, 32], bytes(1024))})
        theirs, ours = command("lint", path), bd.lint(path)
        del theirs["answer"]
        self.assertEqual(plain(ours), theirs)
        self.assertFalse(ours.ok)
        self.assertIn(ours.findings[0]["code"], [check["code"] for check in checkpoints.lint_checks()])

    def test_quantize(self):
        cases = (({"to": "e4m3"}, ()),
                 ({"to": "nvfp4", "layout": "modelopt", "fuse": False}, ("--layout", "modelopt", "--no-fuse")),
                 ({"to": "e4m3", "scale": "tile:32x32", "rounding": "stochastic", "seed": 7, "keep": ["*mlp*"]},
                  ("--scale", "tile:32x32", "--round", "stochastic", "--seed", 7, "--keep", "*mlp*")))
        for i, (options, words) in enumerate(cases):
            out, other = self.at(f"ours{i}"), self.at(f"theirs{i}")
            theirs = told("quantize", self.base, other, "--to", options["to"], *words)
            seen = []
            ours = bd.quantize_checkpoint(self.base, out, progress=lambda *at: seen.append(at), **options)
            self.assertEqual(plain({**ours, "out": other}), theirs)
            self.assertTrue(seen)
            for file in sorted(os.listdir(other)):
                with open(os.path.join(out, file), "rb") as a, open(os.path.join(other, file), "rb") as b:
                    self.assertEqual(a.read(), b.read(), file)
            self.assertEqual(sorted(os.listdir(out)), sorted(os.listdir(other)))
            dry = bd.quantize_checkpoint(self.base, dry_run=True, **options)
            self.assertEqual(plain(dry), told("quantize", self.base, "--dry-run", "--to", options["to"], *words))

    def test_quantize_refuses(self):
        self.refuses("out must name", bd.quantize_checkpoint, self.base, to="e4m3")
        self.refuses("available: e4m3/row", bd.quantize_checkpoint, self.base, self.at("x"), to="e4m4")
        self.refuses("seed must be", bd.quantize_checkpoint, self.base, self.at("x"), to="e4m3", seed=-1)
        self.refuses("is a str", bd.quantize_checkpoint, self.base, self.at("x"), to=8)
        self.refuses("", bd.quantize_checkpoint, self.base, self.base, to="e4m3")
        with self.assertRaises(bd.Error):
            bd.quantize_checkpoint(self.base, self.at("stopped"), to="e4m3", progress=lambda done, total: False)
        self.assertFalse(os.path.exists(self.at("stopped")))

    def test_relayout(self):
        for source, layout in ((self.made("fp8", to="e4m3"), "modelopt"),
                               (self.made("fp4", to="nvfp4", layout="modelopt"), "compressed-tensors")):
            name = os.path.basename(source)
            theirs = told("relayout", source, self.at(name + "-theirs"), "--layout", layout)
            ours = bd.relayout(source, self.at(name + "-ours"), layout)
            self.assertEqual(plain({**ours, "out": self.at(name + "-theirs")}), theirs)
        quick = bd.relayout(source, self.at("quick"), layout, check=False)
        self.assertNotIn("compared", quick)
        self.assertEqual(ours.identical_values, ours["identical"] == ours["compared"])
        self.refuses("", bd.relayout, source, self.at("other"), "nothing")

    def test_diff(self):
        quantized = self.made("fp8", to="e4m3")
        for options, words in (({}, ()), ({"explain": False}, ("--no-explain",)),
                               ({"base": self.base}, ("--base", self.base))):
            theirs = told("diff", quantized, self.base, *words)
            self.assertEqual(plain(bd.diff(quantized, self.base, **options)), theirs)
        found = bd.diff(quantized, self.base)
        self.assertFalse(found.same)
        self.assertIn("e4m3", found.explained_by[0]["text"])
        self.assertEqual(set(map(len, found.columns.values())), {7})
        same = bd.diff(self.base, self.base)
        self.assertTrue(same.same)
        other = self.at("other.safetensors")
        safetensors(other, {"w": ("F32", [1], struct.pack("<f", 1))})
        self.assertEqual(plain(bd.diff(self.base, other)), told("diff", self.base, other))


if __name__ == "__main__":
    unittest.main()
