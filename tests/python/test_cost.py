"""libbinade.cost: the answers of binade cost."""
import unittest

import numpy as np

import libbinade as bd
from lab import Case, command, plain


def words_of(options):
    """Arguments as the options of the command."""
    words = []
    for name, value in options.items():
        word = "--" + name.replace("_", "-")
        words += [word] if value is True else [word, value]
    return words


class Cost(Case):
    def same(self, question, *operands, **options):
        operand = [operands[0] if isinstance(operands[0], str) else "x".join(map(str, operands[0]))] if operands else []
        theirs = command("cost", question, *operand, *words_of(options))
        ours = getattr(bd.cost, question)(*operands, **options)
        self.assertEqual(plain(ours), theirs)
        return ours

    def test_time(self):
        found = self.same("time", params="70e9", tokens="15e12", gpus=1024, gpu="h100", mfu=0.5)
        self.assertEqual(float(found), found.step("days")["value"])
        self.assertEqual(found.unit, "day")
        self.same("time", model="llama3-8b", tokens="1T", gpu="a100", sparse=True, recompute="full", seq=4096)
        self.same("time", layers=12, hidden=768, heads=12, vocab=50257, tokens="9e9", peak="400T", gpus=8)
        self.assertEqual(bd.cost.time(params=70e9, tokens=15e12, gpus=1024, gpu="h100", mfu="50%").value, found.value)

    def test_mfu(self):
        self.same("mfu", params="7e9", tokens_per_second="90e3", gpus=8, gpu="h100")
        self.same("mfu", model="gpt2", tokens="5e5", seconds=0.35, gpu="h100", format="fp8")

    def test_fit(self):
        self.same("fit", gpus=8, gpu="h100", recipe="bf16-amp", optimizer="adamw")
        self.same("fit", memory="80GB", recipe="base=bf16-master,v=bf16", zero=1, tp=2, gpus=4)

    def test_memory(self):
        self.same("memory", model="llama3-70b", recipe="bf16-amp", zero=3, ranks=64, seq=4096, gpu="h100")
        self.same("memory", params="7.5B", recipe="fp8-current")
        self.same("memory", model="transformer", recipe="bf16-sr", width=128, depth=3)
        self.same("memory", model="transformer", recipe="mxfp8", tied=True, recompute="full", batch=7, heads=2)
        self.same("memory", model="mlp", inputs=9)
        self.same("memory", model="gpt2", dropout="no", recipe="bf16-amp", recompute="selective", seq=512)
        self.assertEqual(bd.cost.memory("gpt2", dropout=False), bd.cost.memory("gpt2", dropout="no"))
        self.assertLess(bd.cost.memory("gpt2", dropout=False).value, bd.cost.memory("gpt2").value)
        self.same("memory", model="gpt2", layers=3, vocab=1000, optimizer="adafactor", batch=2)

    def test_memory_of_recipes(self):
        found = bd.cost.memory("transformer", recipe=["fp32", "bf16-amp"])
        self.assertEqual(list(found), ["fp32", "bf16-amp"])
        for name, answer in found.items():
            self.assertEqual(answer, bd.cost.memory("transformer", recipe=name))
        self.assertEqual(list(bd.cost.memory("gpt2", recipe="all")), [row["name"] for row in bd.recipes()])

    def test_memory_is_what_a_run_measures(self):
        run = bd.train("transformer", "bf16-amp", steps=1, width=32, heads=2)[1]
        answer = bd.cost.memory("transformer", recipe="bf16-amp", width=32, heads=2)
        self.assertEqual(answer.value, run.memory_bytes)

    def test_flops(self):
        self.same("flops", params="70e9", tokens="15e12")
        self.same("flops", model="gpt2", seq=512)
        self.same("flops", (1024, 256, 64))
        self.same("flops", gpus=8, gpu="h100", days=3, mfu=0.4)

    def test_tensor_and_roofline(self):
        self.same("tensor", "49152x12288", format="mxfp8")
        self.same("tensor", (3, 5, 7))
        self.same("roofline", (4096, 4096, 4096), gpu="h100", format="fp8", result="fp32")
        self.same("roofline", "8x4096x4096", peak="400T", bandwidth="1.6TB")

    def test_codes_of_block_formats(self):
        """The codes of a tensor are as many bytes as those of quantize, packed; int4 counts as hardware packs it."""
        for block in ("mxfp8", "mxint8", "int8/row", "e2m1/row", "e2m3/mx", "nvfp4"):
            found = self.same("tensor", (33, 65), format=block)
            q = bd.quantize(np.ones((33, 65), np.float32), block, packed=True)
            scales = q.scales.nbytes + (4 if q.tensor_scale is not None else 0)
            self.assertEqual((found.step("codes")["value"], found.value), (q.codes.nbytes, q.codes.nbytes + scales))
        self.assertEqual(bd.cost.tensor((33, 65), "int4/row").step("codes")["value"], -(-33 * 65 // 2))
        self.refuses("p11emin-14emax15 is a value set: it has no codes", bd.cost.tensor, (3, 5), "p11emin-14emax15/row")

    def test_tables(self):
        theirs = command("cost", "machines")["machines"]
        self.assertEqual([m["name"] for m in bd.cost.machines()], [m["name"] for m in theirs])
        self.assertEqual([m["source"] for m in bd.cost.machines()], [m["source"] for m in theirs])
        self.assertEqual(bd.cost.models(), command("cost", "models")["models"])

    def test_refusals(self):
        self.refuses("did you mean", bd.cost.memory, "lama3-70b")
        self.refuses("expected a size", bd.cost.memory)
        self.refuses("which has its own", bd.cost.memory, "gpt2", params=5)
        self.refuses("tied cannot be used", bd.cost.memory, "llama3-8b", tied=True)
        self.refuses("layers cannot be used with a model of train", bd.cost.memory, "transformer", layers=2)
        self.refuses("dropout must be", bd.cost.memory, "gpt2", dropout=0.1)
        self.refuses("dropout cannot be used", bd.cost.memory, params=5, dropout=True)
        self.refuses("zero must be a stage", bd.cost.memory, "gpt2", zero=4)
        self.refuses("needs layers, hidden, heads and vocab", bd.cost.memory, layers=3)
        self.refuses("tokens: ", bd.cost.time, params=1e9, tokens="many", gpu="h100")
        self.refuses("gpus: ", bd.cost.time, params=1e9, tokens=1e9, gpu="h100", gpus=1.5)
        self.refuses("mfu: ", bd.cost.time, params=1e9, tokens=1e9, gpu="h100", mfu=2)
        self.refuses("must be a number or a text", bd.cost.time, params=[1], tokens=1e9, gpu="h100")
        self.refuses("expected a machine", bd.cost.time, params=1e9, tokens=1e9)
        self.refuses("peak cannot be used with gpu", bd.cost.time, params=1e9, tokens=1e9, gpu="h100", peak=1e12)
        self.refuses("expected a measurement", bd.cost.mfu, params=1e9, gpu="h100")
        self.refuses("expected one machine", bd.cost.fit)
        self.refuses("three sizes", bd.cost.roofline, "4x4", gpu="h100")
        self.refuses("bandwidth is missing", bd.cost.roofline, "4x4x4", peak=1e12)
        self.refuses("tokens is missing", bd.cost.flops, params=1e9)
        self.refuses("must be one recipe", bd.cost.fit, gpu="h100", recipe="fp32,bf16-amp")
        self.refuses("unknown argument 'colour' of a model (available: model, layers", bd.cost.time, params=1e9,
                     tokens=1e9, gpu="h100", colour=1)
        self.refuses("unknown argument 'foo' of a model (available: model, layers", bd.cost.memory, "llama3-70b", foo=4)
        self.refuses("sparse must be True or False, not 'no'", bd.cost.time, params=1e9, tokens=1e9, gpu="h100",
                     sparse="no")
        self.refuses("tied must be True or False, not 'no'", bd.cost.memory, "gpt2", tied="no")
        self.refuses("sparse cannot be used with peak", bd.cost.time, params=1e9, tokens=1e9, peak=4e14, sparse=True)
        given = bd.cost.time(params=1e9, tokens=1e9, peak=4e14, format="fp8")  # what the peak is one of, as the command
        self.assertIn("the given machine: 400e12 FLOP/s in fp8, dense (as given)", given.notes)


if __name__ == "__main__":
    unittest.main()
