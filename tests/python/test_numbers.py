"""show, calc and range: as the command prints them, and as Python's own numbers have them."""
import decimal
import fractions
import json
import math
import os
import subprocess
import unittest
import warnings

from support import RANDOM, command, np

import libbinade as bd

FORMATS = "fp32,fp16,bf16,e4m3,e5m2,e4m3fnuz,e3m2,e2m1,e8m0,ue4m3,binary8p3se,tf32,fp64,e6m9,p11,p3emin-5emax5"
VALUES = ["exp(-1e30)", "tanh(1e30)", "pi*2^-1000000000",
          "0.1", "1e-8", "465", "-464", "1/3", "-2^-24", "pi", "sqrt(2)/2", "inf", "-inf", "nan", "0", "-0", "1e-300",
          "1e400",
          "fp16:0x0001", "fp16:0x7e01", "e4m3:0x7f", "e2m1:0b0111", "0x1.8p3", "3.0517578125e-05", "65520", "1e-45",
          "0.123456789012345678901234567890123456789012345678901234567890", "2^-130", "bf16:0xff80", "123456789e-30"]


def asked(*words):
    run = subprocess.run([command(), *words], stdout=subprocess.PIPE, check=True,
                         env=dict(os.environ, COLUMNS="100000"))
    return run.stdout.decode()


class Show(unittest.TestCase):
    def test_json(self):
        """Every field is the command's, for many numbers, formats and rules."""
        values = VALUES + [float(x).hex() for x in RANDOM.standard_normal(40) * 2.0 ** RANDOM.randint(-30, 30, 40)]
        for options, choices in (((), {}), (("-r", "rtz"), {"rounding": "rtz"}), (("-r", "rup"), {"rounding": "rup"}),
                                 (("--overflow", "saturate"), {"overflow": "saturate"}),
                                 (("--flush", "both"), {"flush": "both"}),
                                 (("--nan", "canonical"), {"nan": "canonical"}),
                                 (("--tininess", "before"), {"tininess": "before"}),
                                 (("--dialect", "ml_dtypes"), {"dialect": "ml_dtypes"})):
            lines = asked("show", "--json", "-f", FORMATS, *options, "--", *values).splitlines()
            self.assertEqual(len(lines), len(values))
            for value, line in zip(values, lines):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    here = bd.show(value, FORMATS, **choices)
                self.assertEqual(json.loads(json.dumps(here.as_dict())), json.loads(line), f"{value} {options}")

    def test_stochastic(self):
        for seed in range(20):
            line = asked("show", "--json", "-f", "e4m3,bf16", "-r", "sr:8", "--seed", str(seed), "0.3")
            self.assertEqual(bd.show("0.3", "e4m3,bf16", "sr:8", seed=seed).as_dict(), json.loads(line))
        for mode, name in (("sr:4", "sr:4"), ("sr", "sr:32"), ("SRA:9", "sra:9"), ("sr-equal", "sr-equal")):
            self.assertEqual(bd.show("0.3", "e4m3", mode).rounding, name)
        line = asked("show", "--json", "-f", "bf16", "-r", "sr:8", "--random", "255", "0.3")
        self.assertEqual(bd.show("0.3", "bf16", "sr:8", random=255).as_dict(), json.loads(line)["results"][0])
        with self.assertRaisesRegex(ValueError, "deterministic"):
            bd.show("0.3", "bf16", random=1)

    def test_text(self):
        """print() gives what the command prints, with lines that are not wrapped."""
        for value in VALUES:
            for names in ("fp16", "e4m3,e8m0,p11", "fp32,fp64"):
                self.assertEqual(str(bd.show(value, names)) + "\n", asked("show", value, "-f", names),
                                 f"{value} {names}")
        self.assertEqual(str(bd.show("fp16:0x3c01")) + "\n", asked("show", "fp16:0x3c01"))
        self.assertEqual(str(bd.show("e2m1:0x3")) + "\n", asked("show", "e2m1:0x3"))

    def test_numbers_of_python(self):
        """A number is exact, whatever its type."""
        self.assertEqual(bd.show(0.1, "fp64").error, "0")
        self.assertNotEqual(bd.show("0.1", "fp64").error, "0")
        self.assertEqual(bd.show(np.float32(0.1), "fp32").error, "0")
        self.assertEqual(bd.show(np.int64(-3), "e4m3").value, "-3")
        self.assertEqual(bd.show(2**200 + 1, "fp64").error, "-1")
        self.assertEqual(bd.show(-2**200, "fp64").value, f"{decimal.Decimal(-2**200):.60e}")
        self.assertEqual(bd.show(fractions.Fraction(1, 3), "e4m3").value, "0.34375")
        self.assertEqual(bd.show(decimal.Decimal("0.1"), "fp64").error, bd.show("0.1", "fp64").error)
        self.assertEqual(bd.show(math.inf, "e4m3").kind, "nan")
        self.assertEqual(bd.show(math.nan, "e5m2").kind, "nan")
        self.assertEqual(bd.show(np.float16(65504), "fp16").code, 0x7bff)
        for nan in (math.nan, -math.nan, np.float32(math.nan), np.float32(-math.nan)):
            sign = "-" if math.copysign(1, nan) < 0 else ""
            self.assertEqual(bd.show(nan, "fp16").code, 0xfe00 if sign else 0x7e00)
            self.assertEqual(bd.show(nan, "fp16").as_dict(), bd.show(sign + "nan", "fp16").as_dict())
        self.assertEqual(bd.show(True, "e4m3").value, "1")

    def test_object(self):
        s = bd.show(465, "e4m3", dialect="torch")
        self.assertEqual((s.code, s.bits, s.fields, s.flags), (0x7e, "0 1111 110", ("0", "1111", "110"),
                                                               ("inexact", "overflow", "saturated")))
        self.assertEqual((float(s), s.as_fraction(), s.error, s.below, s.above), (448.0, 448, "-17", "448", None))
        self.assertEqual((s.bytes, s.is_exact, s.format), (b"\x7e", False, bd.Format("e4m3")))
        self.assertEqual(bd.show(1, "p11").code, None)
        self.assertTrue(math.isnan(float(bd.show("nan", "fp16"))))
        self.assertEqual(float(bd.show("-0", "fp16")).hex(), "-0x0.0p+0")
        with self.assertRaisesRegex(ValueError, "fraction"):
            bd.show("inf", "fp16").as_fraction()
        self.assertIn("0x7e", repr(s))

    def test_html(self):
        """Notebooks get the bits in colours; texts are escaped."""
        page = bd.show(465, "e4m3")._repr_html_()
        for part in ("0x7f", "<table>", "overflow", ">1111</span>"):
            self.assertIn(part, page)
        self.assertIn("384", bd.show("400", ["e4m3", "fp16"])._repr_html_())
        self.assertNotIn("<b><", bd.show(" 1 ", "fp16")._repr_html_())

    def test_dialects(self):
        answers = bd.dialects(465, "e4m3")
        there = json.loads(asked("show", "465", "-f", "e4m3", "--dialects", "--json"))
        self.assertEqual({row["dialect"]: row["code"] for row in there["answers"] if row["dialect"] != "binade"},
                         {name: s.code_text for name, s in answers.items()})
        self.assertIn("torch", bd.dialects())

    def test_refusals(self):
        for call, kind, words in ((lambda: bd.show("1//3", "fp16"), bd.Error, "'/'"),
                                  (lambda: bd.show("0.1", "fp17"), bd.Error, "did you mean"),
                                  (lambda: bd.show("fp16:0x10000", "fp16"), ValueError, "at most 16 bits"),
                                  (lambda: bd.show("fp16:0xzz", "fp16"), ValueError, "hexadecimal"),
                                  (lambda: bd.show("p11:0x1", "fp16"), ValueError, "value set"),
                                  (lambda: bd.show([1, 2], "fp16"), TypeError, "a number or a text"),
                                  (lambda: bd.show(np.ones(2), "fp16"), TypeError, "an array; encode()"),
                                  (lambda: bd.show(1 + 2j, "fp16"), TypeError, "a number or a text"),
                                  (lambda: bd.show("1", "fp16", flush="often"), ValueError, "flush must be"),
                                  (lambda: bd.show("1", "fp16", tininess="x"), ValueError, "tininess must be"),
                                  (lambda: bd.show("1\0", "fp16"), ValueError, "NUL")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(words, str(caught.exception))
        with self.assertWarnsRegex(UserWarning, "no rule for fp64"):
            bd.show(1, "fp64", dialect="cuda-satfinite")


class Calc(unittest.TestCase):
    def test_a_dialect_without_a_rule_for_the_format(self):
        with self.assertRaisesRegex(ValueError, "has no rule for fp32"):
            bd.calc("fp32", "1 + 1", dialect="cuda-satfinite")
        self.assertEqual(bd.calc("e4m3", "448 * 2", dialect="cuda-satfinite").value, "448")

    EXPRESSIONS = ["2049 + 1", "1/3", "sum(0.001, 10000)", "sqrt(2) * sqrt(2)", "fma(3, 7, 0.5)", "bf16(0.1) * 3",
                   "-2^2",
                   "exp(-20)", "log(1 + exp(-20))", "scalb(1.5, -3)", "1/0", "0/0", "70000 * 2", "fp16:0x3c01 - 1",
                   "(1 + 2^-11) ** 3", "ulp(1)", "pi", "1e-8 + 1", "next_up(1) - 1", "min(1, nan)"]

    def test_json(self):
        for f in ("fp16", "bf16", "e4m3", "fp32"):
            for expression in self.EXPRESSIONS:
                if f == "fp32" and "exp" in expression:
                    continue  # of at most 16 bits
                line = asked("calc", "--json", f, expression)
                self.assertEqual(json.loads(json.dumps(bd.calc(f, expression).as_dict())), json.loads(line),
                                 f"{f} {expression}")
        line = asked("calc", "--json", "-r", "sr:8", "--seed", "3", "bf16", "0.1 + 0.2 * 0.3")
        self.assertEqual(bd.calc("bf16", "0.1 + 0.2 * 0.3", "sr:8", seed=3).as_dict(), json.loads(line))

    def test_object(self):
        c = bd.calc("fp16", "2049 + 1")
        self.assertEqual((float(c), c.value, c.exact, c.error, c.ulp_error), (2048.0, "2048", "2050", "-2", -1.0))
        self.assertIn("2048 + 1", str(c))
        self.assertIn("2048", c._repr_html_())
        self.assertIn("= 1/3", str(bd.calc("fp16", "1/3")))

    def test_refusals(self):
        with self.assertRaises(bd.Error) as caught:
            bd.calc("fp16", "1 + + * 2")
        self.assertEqual((caught.exception.status, caught.exception.where), ("BND_BAD_SYNTAX", 6))
        with self.assertRaisesRegex(ValueError, "value set"):
            bd.calc("p11", "1 + 1")


class Range(unittest.TestCase):
    def test_json(self):
        there = json.loads(asked("range", "--json"))
        self.assertEqual(bd.range().as_dict(), there)
        values = ["1e-8", "0.1", "70000", "inf", "-inf", "nan", "0", "-1", "1/3"]
        there = json.loads(asked("range", "--json", "-f", "fp16,e4m3,e8m0,e2m1,p11", "--", *values))
        self.assertEqual(bd.range("fp16,e4m3,e8m0,e2m1,p11", values).as_dict(), there)
        for words in (["-f", "ue4m3none,ue2m1none,e1m3"], ["-f", "dlfloat16,e5m2nosub"],
                      ["-f", "e8m0", "--dialect", "torch"]):
            values = ["-1", "-inf", "-0", "-1e-9", "2.4e-10", "2e-5", "1"]
            there = json.loads(asked("range", "--json", *words, "--", *values))
            self.assertEqual(bd.range(words[1], values, dialect=words[3] if len(words) > 2 else None).as_dict(), there)
            self.assertEqual({"ue4m3none,ue2m1none,e1m3": "min", "dlfloat16,e5m2nosub": "ok", "e8m0": "abs"}[words[1]],
                             there["cells"][0]["outcome"])

    def test_object(self):
        for one in (1e6, np.array(1e6), np.array(10**6)):  # an array of no dimensions is a number
            self.assertEqual([c["outcome"] for c in bd.range("fp16", one).cells], ["inf"])
        r = bd.range("fp16", ["1e-8", 0.1])
        self.assertEqual((r.outcome("1e-8", "fp16"), r.outcome(0.1, "fp16")), ("zero", "ok"))
        for value, f, words in ((3, "fp16", "no value '3' (available: 1e-8, 0.1)"),
                                ("1e-8", "bf16", "no format 'bf16' (available: fp16)"),
                                (1e-8, "fp16", "no value '1e-08'")):
            with self.assertRaises(KeyError) as caught:
                r.outcome(value, f)
            self.assertIn(words, str(caught.exception))
        self.assertIn("->0", str(r))
        self.assertIn("max 65504", str(r))
        self.assertIn("underflowed to zero", r._repr_html_())


if __name__ == "__main__":
    unittest.main(verbosity=1)
