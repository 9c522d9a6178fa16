"""libbinade.checkpoints: arrays, and the answers of the commands scan, lint, quantize, relayout and diff."""
import os
import struct
import subprocess
import unittest

import numpy as np

import libbinade as bd
from libbinade import checkpoints
from lab import BINADE, Case, command, model, numbers, plain, safetensors


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


class Doubles(Checkpoints):
    """Weights in fp64, which commands compute with in fp32."""

    def stored(self, name, numbers):
        path = self.at(name)
        x = np.asarray(numbers, "<f8").reshape(-1, 16)
        safetensors(path, {"x.weight": ("F64", list(x.shape), x.tobytes())})
        return path

    def test_a_scan_says_what_fp32_lacks(self):
        rng = np.random.default_rng(1)
        x = rng.standard_normal(512) * 2.0 ** rng.integers(-150, 20, 512)
        x[:256] = x[:256].astype("f4").astype("f8")
        found = bd.scan(self.stored("random.safetensors", x), ["fp64", "fp32", "tf32", "bf16", "e5m2", "e8m22"])
        self.assertEqual(found.tensors[0]["input"]["fp32_lacks"], int((x != x.astype("f4")).sum()))
        for c in found.candidates:
            exact = x.size if c["name"] == "fp64" else bd.round(x, c["name"], stats=True)[1].exact
            self.assertEqual((c["name"], c["exact"]), (c["name"], exact))
            self.assertEqual(c["verdict"] == "exact", exact == x.size)

    def test_numbers_beyond_fp32(self):
        found = bd.scan(self.stored("huge.safetensors", np.full(32, 1e300)), ["fp64", "fp32", "bf16"])
        self.assertEqual([c["overflows"] for c in found.candidates], [0, 32, 32])
        self.assertEqual([found.tensors[0]["input"][key] for key in ("infinities", "beyond_fp32")], [0, 32])

    def test_a_difference_that_fp32_does_not_have(self):
        x = np.linspace(0.1, 1, 32)
        y = x.copy()
        y[3] = np.nextafter(y[3], 9)
        a, b = self.stored("a64.safetensors", x), self.stored("b64.safetensors", y)
        safetensors(self.at("c32.safetensors"), {"x.weight": ("F32", [2, 16], x.astype("<f4").tobytes())})
        found = bd.diff(a, b)
        self.assertEqual((found["elements"], found["equal"], found["below_fp32"]), (32, 31, 1))
        self.assertEqual(bd.diff(b, b)["differences"]["none"], 1)
        for pair in ((a, self.at("c32.safetensors")), (self.at("c32.safetensors"), a)):
            self.assertEqual(bd.diff(*pair)["below_fp32"], int((x != x.astype("f4")).sum()))

    def test_values_are_rounded_once(self):
        """At ties of fp32 and of the target, and next to them; above and below the largest and the least number."""
        near = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-11, 65520, 2.0**-25, 2.0**-134, 3.3961775e38, 1 + 2.0**-24])
        x = np.concatenate([near, np.nextafter(near, 0), np.nextafter(near, 1e99), near + near * 2.0**-40, -near,
                            near - near * 2.0**-40, [1e300, -1e-320, 0, -0.0, 5e-324, 2.0**-149]])
        path = self.stored("ties.safetensors", x)
        for name in ("bf16", "fp16", "fp32"):
            out = self.at("of-" + name)
            bd.quantize_checkpoint(path, out, to=name, allow_nonfinite=True)
            with bd.open_checkpoint(out) as found:
                codes = np.asarray(found["x.weight"]).reshape(-1)
                self.assertEqual(codes.tobytes(), bd.encode(x, name).tobytes())


class Open(Checkpoints):
    def test_arrays_are_views_of_the_file(self):
        with bd.open_checkpoint(self.base) as found:
            self.assertEqual(len(found), 7)
            self.assertEqual(found.kind, "safetensors")
            self.assertEqual(found.metadata, {"format": "pt"})
            self.assertEqual(found.config["model_type"], "llama")
            name = "model.layers.0.mlp.up_proj.weight"
            self.assertIn(name, found)
            for other in (name + "\0x", "\udc80", 3):
                self.assertNotIn(other, found)
            array = found[name]
            self.assertEqual((array.dtype, array.shape), (np.uint16, (64, 128)))
            self.assertEqual(array.tobytes(), numbers(64 * 128, 6))
            self.assertFalse(array.flags.writeable)
            self.assertEqual(array.__array_interface__["data"][0], found[name].__array_interface__["data"][0])
            self.assertEqual(found.get(name).tobytes(), array.tobytes())
            self.assertEqual((found.get("nothing"), found.get("nothing", 5)), (None, 5))
            self.assertEqual([x.tobytes() for x in found.values()], [x.tobytes() for _, x in found.items()])
        self.refuses("is closed", len, found)
        self.assertEqual(array.tobytes(), numbers(64 * 128, 6))  # the file stays mapped as long as there is an array

    def test_a_bad_config_is_named(self):
        folder = self.at("bad-config")
        os.mkdir(folder)
        safetensors(os.path.join(folder, "model.safetensors"), {"x": ("F32", [1], bytes(4))})
        for words in (b'{"model_type":', b"\xff\xfe"):
            with open(os.path.join(folder, "config.json"), "wb") as file:
                file.write(words)
            for path in (folder, os.path.join(folder, "model.safetensors")):
                self.refuses("bad-config/config.json cannot be read as JSON", lambda: bd.open_checkpoint(path).config)

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


def printed(*words):
    """What a command prints as text."""
    made = subprocess.run([BINADE, *map(str, words)], capture_output=True, text=True, check=False)
    return made.stdout, made.stderr


def moved(result, out, other):
    """A result as JSON has it, if its output were another one."""
    return plain({**result, "out": other, "answer": [line.replace(out, other) for line in result.answer]})


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
            self.assertEqual(plain(ours), theirs)
            text = " ".join(printed("scan", self.base, *words)[0].split())  # without its ends of lines
            self.assertTrue(text.endswith(ours.limits))
            self.assertIn(" ".join(ours.answer), text)
        self.assertEqual(set(map(len, ours.columns.values())), {1})
        self.assertEqual(ours.columns["candidate"].tolist(), ["mxfp8:floor"])

    def test_scan_of_an_open_checkpoint(self):
        with bd.open_checkpoint(self.base) as found:
            self.assertEqual(bd.scan(found, "e4m3"), bd.scan(self.base, "e4m3"))

    def test_scan_of_nothing(self):
        self.refuses("it has fewer than two dimensions", bd.scan, self.base, "e4m3",
                     only="*norm*")

    def test_scan_refuses(self):
        self.refuses("unknown format 'e4m4row'", bd.scan, self.base, "e4m4row")
        self.refuses("only 'nothing*' matches no weight", bd.scan, self.base, "e4m3", only=["*", "nothing*"])
        self.refuses("skip 'up_proj' matches no weight", bd.scan, self.base, "e4m3", skip="up_proj")
        self.refuses("only and skip leave no tensor to scan", bd.scan, self.base, "e4m3", skip="*")
        self.refuses("keep 'up_proj' matches no weight", bd.quantize_checkpoint, self.base, dry_run=True, to="e4m3",
                     keep=["*mlp*", "up_proj"])
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
            self.assertEqual(plain(ours), theirs)
            self.assertIn(ours.answer, printed("lint", path)[0])
        self.assertTrue(ours.ok)
        only = bd.lint(self.base, loader="vllm")
        self.assertEqual([row["loader"] for row in only.layouts[0]["loaders"]], ["vLLM"])
        self.refuses("unknown loader 'nobody' (available: vLLM", bd.lint, self.base, loader="nobody")
        self.refuses("unknown layout 'compresed-tensors/nvfp4'; did you mean 'compressed-tensors/nvfp4'? (available: ",
                     checkpoints.loaders, "compresed-tensors/nvfp4")
        for layout in ("unquantized", "gguf/unquantized", "mlx/affine", only.layouts[0]["layout"]):
            self.assertEqual(len(checkpoints.loaders(layout)), 6)
        self.refuses("No such file", bd.lint, self.at("nothing"))

    def test_lint_finds_damage(self):
        path = self.at("bad.safetensors")
        name = "model.layers.0.mlp.up_proj.weight"
        safetensors(path, {name: ("F8_E4M3", [32, 32], bytes(1024))})
        theirs, ours = command("lint", path), bd.lint(path)
        self.assertEqual(plain(ours), theirs)
        self.assertIn(ours.answer, printed("lint", path)[0])
        self.assertFalse(ours.ok)
        self.assertIn(ours.findings[0]["code"], [check["code"] for check in checkpoints.lint_checks()])

    def test_quantize(self):
        cases = (({"to": "e4m3"}, ()),
                 ({"to": "nvfp4", "layout": "modelopt", "fuse": False}, ("--layout", "modelopt", "--no-fuse")),
                 ({"to": "e4m3", "scale": "tile:32x32", "rounding": "stochastic", "seed": 7, "keep": ["*mlp*"]},
                  ("--scale", "tile:32x32", "--round", "stochastic", "--seed", 7, "--keep", "*mlp*")))
        for i, (options, words) in enumerate(cases):
            out, other = self.at(f"ours{i}"), self.at(f"theirs{i}")
            theirs = command("quantize", self.base, other, "--to", options["to"], *words)
            seen = []
            ours = bd.quantize_checkpoint(self.base, out, progress=lambda *at: seen.append(at), **options)
            self.assertEqual(moved(ours, out, other), theirs)
            self.assertTrue(seen)
            for file in sorted(os.listdir(other)):
                with open(os.path.join(out, file), "rb") as a, open(os.path.join(other, file), "rb") as b:
                    self.assertEqual(a.read(), b.read(), file)
            self.assertEqual(sorted(os.listdir(out)), sorted(os.listdir(other)))
            self.assertEqual(ours.answer[-1], f"written to {out}")
            dry = bd.quantize_checkpoint(self.base, dry_run=True, **options)
            self.assertEqual(plain(dry), command("quantize", self.base, "--dry-run", "--to", options["to"], *words))

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
            out, other = self.at(name + "-ours"), self.at(name + "-theirs")
            theirs = command("relayout", source, other, "--layout", layout)
            ours = bd.relayout(source, out, layout)
            self.assertEqual(moved(ours, out, other), theirs)
        self.assertTrue(ours.identical_values)
        quick = bd.relayout(source, self.at("quick"), layout, check=False)
        self.assertNotIn("compared", quick)
        self.assertEqual(quick.answer, [ours.answer[0].replace(out, self.at("quick")), *ours.answer[2:]])
        back = bd.relayout(out, self.at("back"), "modelopt")
        self.assertEqual("\n".join(back.answer) + "\n",
                         printed("relayout", other, self.at("again"), "--layout", "modelopt")[0]
                         .replace(self.at("again"), self.at("back")))
        self.assertIn("are those from before", back.answer[-1])

    def test_relayout_that_moves_scales(self):
        base, source = self.at("many.safetensors"), self.at("many-fp4")
        largest = [struct.pack("<H", 0x4080 + i) for i in range(24)]  # 4, 4.03 ... in bf16
        safetensors(base, {f"model.layers.{i}.self_attn.o_proj.weight": ("BF16", [16, 16], code + numbers(255, i))
                           for i, code in enumerate(largest)})
        bd.quantize_checkpoint(base, source, to="nvfp4", layout="modelopt")
        # ModelOpt's factor is amax / 2688, of which compressed-tensors stores the reciprocal
        factors = np.array([4 + i / 32 for i in range(24)], np.float32) / np.float32(2688)
        changed = int((1 / (1 / factors) != factors).sum())
        ours = bd.relayout(source, self.at("many-ct"), "compressed-tensors")
        theirs = command("relayout", source, self.at("many-ct-2"), "--layout", "compressed-tensors")
        self.assertEqual(moved(ours, self.at("many-ct"), self.at("many-ct-2")), theirs)
        self.assertTrue(0 < changed < 24)
        self.assertEqual(ours.answer[1], f"24 weights, of which {24 - changed} decode to the same values")
        self.assertIn(f"second-level scale moved in {changed} of 24", ours.answer[2])
        self.assertFalse(ours.identical_values)
        self.assertEqual(ours.identical_values, ours["identical"] == ours["compared"])
        self.refuses("", bd.relayout, source, self.at("other"), "nothing")

    def test_diff(self):
        quantized = self.made("fp8", to="e4m3")
        for options, words in (({}, ()), ({"explain": False}, ("--no-explain",)),
                               ({"base": self.base}, ("--base", self.base))):
            theirs = command("diff", quantized, self.base, *words)
            self.assertEqual(plain(bd.diff(quantized, self.base, **options)), theirs)
        found = bd.diff(quantized, self.base)
        self.assertFalse(found.same)
        self.assertIn("e4m3", found.explained_by[0]["text"])
        self.assertEqual(set(map(len, found.columns.values())), {7})
        same = bd.diff(self.base, self.base)
        self.assertTrue(same.same)
        other = self.at("other.safetensors")
        safetensors(other, {"w": ("F32", [1], struct.pack("<f", 1))})
        self.assertEqual(plain(bd.diff(self.base, other)), command("diff", self.base, other))

    def test_answers_are_the_lines_of_the_command(self):
        quantized, other, none = self.made("fp8", to="e4m3"), self.at("mixed.safetensors"), self.at("none.safetensors")
        names = [f"model.layers.0.{name}_proj.weight" for name in ("self_attn.q", "self_attn.k", "mlp.up")]
        tensors = {names[0]: ("BF16", [64, 128], numbers(64 * 128, 1)), names[1]: ("BF16", [2], bytes(4)),
                   names[2]: ("F32", [64, 128], bytes(4 * 64 * 128)), "only": ("I64", [1], bytes(8))}
        safetensors(other, tensors)
        safetensors(none, {})
        for a, b, count in ((quantized, self.base, 5), (self.base, self.base, 3), (other, self.base, 5),
                            (none, none, 3), (none, other, 4)):
            found = bd.diff(a, b)
            self.assertEqual(len(found.answer), count)
            self.assertEqual(found.answer, command("diff", a, b)["answer"])
            text = "\n".join(found.answer) + "\n"
            self.assertEqual(printed("diff", a, b)[0][:len(text)], text)
        mixed = bd.diff(other, self.base).answer
        self.assertIn("1 in values, 1 only in A, 4 only in B, 1 in shape", mixed[3])
        self.assertIn("stored by the same bytes", bd.diff(self.base, self.base).answer[0])
        plan = bd.quantize_checkpoint(self.base, to="nvfp4", keep="*mlp*", dry_run=True)
        text = printed("quantize", self.base, "--to", "nvfp4", "--keep", "*mlp*", "--dry-run")[0]
        self.assertEqual([line.split() for line in text.splitlines()[-len(plan.answer):]],
                         [line.split() for line in plan.answer])

    def test_a_failure_says_what_the_command_says(self):
        out = self.at("missing")
        for ours, words in ((lambda: bd.diff(self.base, out), ("diff", self.base, out)),
                            (lambda: bd.quantize_checkpoint(self.base, out, to="int4"),
                             ("quantize", self.base, out, "--to", "int4")),
                            (lambda: bd.relayout(self.base, out, "modelopt"),
                             ("relayout", self.base, out, "--layout", "modelopt"))):
            with self.assertRaises(bd.Error) as caught:
                ours()
            self.assertIn(str(caught.exception), printed(*words)[1])
            self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
