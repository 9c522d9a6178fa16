"""What people do wrong at first: arguments in another order, block formats where none is taken, a model of torch."""
import os
import tempfile
import unittest

import numpy as np

import libbinade as bd
from libbinade import testing
from lab import Case


class Order(Case):
    def test_swapped_arguments(self):
        x = np.ones((2, 32), np.float32)
        cases = ((bd.round, ("e4m3", 1.5), "round takes the numbers first: round(x, 'e4m3')"),
                 (bd.round, ("e4m3", x), "round(x, 'e4m3')"),
                 (bd.encode, (bd.Format("fp16"), [1.0]), "encode(x, 'fp16')"),
                 (bd.show, ("e4m3", 1.5), "show takes the value first: show(x, 'e4m3')"),
                 (bd.show, ("fp16", "1.5"), "show(x, 'fp16')"),
                 (bd.range, ([1.5, 2], "e4m3"), "range takes the format first: range('e4m3', values)"),
                 (bd.range, ("1.5", "fp16,bf16"), "range('fp16,bf16', values)"),
                 (bd.convert, ("e4m3", np.uint8([1]), "e5m2"),
                  "convert takes the codes first: convert(codes, 'e4m3', 'e5m2')"),
                 (testing.check_cast, ("e4m3", bd.encode), "the first argument must be the function under test"),
                 (testing.check_decode, ("e4m3", bd.decode), "the first argument must be the function under test"),
                 (bd.quantize, ("mxfp4", x), "quantize takes the numbers first: quantize(x, 'mxfp4')"),
                 (bd.fake_quantize, ("e4m3/row", x), "fake_quantize(x, 'e4m3/row')"))
        for function, arguments, words in cases:
            with self.subTest(words), self.assertRaises(TypeError) as caught:
                function(*arguments)
            self.assertIn(words, str(caught.exception))

    def test_the_right_order_is_taken(self):
        self.assertEqual(float(bd.round(1.55, "e4m3")), 1.5)
        self.assertEqual(bd.show("1.5", "e4m3,fp16")[0].value, "1.5")
        self.assertEqual(bd.show("e4m3:0x38", ["e4m3"])[0].value, "1")
        self.assertEqual(bd.range(["fp16", bd.Format("bf16")], ["1.5"]).cells[0]["outcome"], "ok")
        self.assertEqual(bd.range(None, "1.5").values, ["1.5"])

    def test_what_names_no_format_is_told_as_it_was(self):
        self.refuses("unknown format 'e4m3x'", bd.round, 1.5, "e4m3x")
        self.refuses("a format's name is a str", bd.round, 1.5, 1.5)


class Blocks(Case):
    def test_calls_that_take_block_formats_are_named(self):
        for function in (bd.round, bd.encode):
            self.refuses("'mxfp4' is a block format, whose elements share scales: fake_quantize(x, 'mxfp4')", function,
                         [1.0], "mxfp4")
        self.refuses("quantize(x, 'e4m3/row')", bd.round, [1.0], "e4m3/row")

    def test_unknown_scalings_list_what_there_is(self):
        self.refuses("unknown scaling 'col' (available: tensor, row", bd.quantize, np.ones((2, 32)), "e4m3/col")


class Calls(Case):
    def test_messages_name_calls_of_both(self):
        self.refuses("a conversion rounds and cannot be used in a value; calc evaluates it", bd.show, "fp16(0.1)")
        self.refuses("it depends on a format and cannot be used in a value; calc", bd.show, "ulp(1)")
        self.refuses("and the other functions of calc", bd.show, "foo(1)")
        self.assertEqual(float(bd.calc("fp32", "fp16(0.1)")), float(np.float16(0.1)))

    def test_attributes_that_help_names(self):
        shown = bd.show(0.1, "fp16")
        for name in ("below", "above"):
            self.assertIn(f"`{name}`", bd.show.__doc__)
            self.assertIsInstance(getattr(shown, name), str)

    def test_dialects(self):
        self.refuses("libbinade.dialects(value, format) shows them", bd.show, 465, "e4m3", dialect="nobody")
        self.assertIn("torch", bd.dialects(465, "e4m3"))
        self.refuses("the dialect 'torch' has no rule for e6m9; leave dialect out for the default rule, or choose one "
                     "that libbinade.dialects(format='e6m9') names", bd.encode, [1.0], "e6m9", dialect="torch")

    def test_long_texts_are_shortened(self):
        for shown in (bd.show("1" * 10000, "fp64"), bd.calc("fp64", "+".join("1" * 5000))):
            self.assertLess(len(repr(shown)), 200)
            self.assertIn("characters)", repr(shown))


class Settings(Case):
    """Sentences of the library that name what to change do not name options of the command."""

    def test_none_names_an_option(self):
        with tempfile.TemporaryDirectory() as folder:
            out, log = os.path.join(folder, "runs"), os.path.join(folder, "log.csv")
            runs = bd.train("mlp", ["fp32", "bf16-pure"], steps=2, out=out)
            self.assertIn("(3 seeds give one)", runs.answer[-1])
            self.assertIn("Try more steps or another learning rate.", " ".join(runs.notes))
            with open(log, "w", encoding="utf-8") as file:
                file.write("a,b\n1,2\n")
            said = runs.answer + runs.notes + bd.cost.memory(params=1000).notes
            for call in (lambda: bd.train("mlp", ["fp32", "bf16-pure"], steps=2, out=out), lambda: bd.compare(log),
                         lambda: bd.cost.memory("mlpp")):
                with self.assertRaises(bd.Error) as caught:
                    call()
                said.append(str(caught.exception))
        self.assertIn("continue it with the option resume, or choose another folder", said[-3])
        self.assertIn("name the step column and the loss column", said[-2])
        self.assertIn("(available: gpt2, ", said[-1])
        for text in said:
            self.assertNotIn("--", text)


class Training(Case):
    def test_a_model_of_torch(self):
        class Linear:
            def __call__(self, x):
                return x
        self.refuses("not a Linear; to train a model of PyTorch, call libbinade.torch.wrap(model, recipe)", bd.train,
                     Linear())
        self.refuses("model is a str, not int", bd.train, 3)

    def test_a_format_instead_of_a_recipe(self):
        self.refuses("unknown recipe 'e4m3/tensor' (as a setting of matrix products: gemm=e4m3/tensor)", bd.train,
                     "mlp", "e4m3/tensor", steps=1)
        self.assertEqual(len(bd.train("mlp", "gemm=e4m3/tensor", steps=1).recipes), 2)
        with self.assertRaisesRegex(ValueError, r"unknown recipe 'nothing/like it' \(such as bf16-amp,"):
            bd.train("mlp", "nothing/like it", steps=1)


if __name__ == "__main__":
    unittest.main()
