"""libbinade.evaluation: the answers of binade evaluate, for runs and for weights of Hugging Face; what is refused."""
import csv
import io
import json
import os
import subprocess
import unittest

import libbinade as bd
from lab import BINADE, Case, command, plain

SMALL = {"model_type": "llama", "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1,
         "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 260}


def asked(*words):
    """The command's status, output and errors."""
    made = subprocess.run([BINADE, "evaluate", *map(str, words)], capture_output=True, text=True, check=False)
    return made.returncode, made.stdout, made.stderr


class Evaluate(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = os.path.join(cls.folder, "text")
        with open(cls.text, "w", encoding="utf-8") as file:
            file.write("the quick brown fox jumps over the lazy dog\n" * 200)
        sizes = {"width": 16, "depth": 1, "heads": 2, "context": 8, "batch": 4}
        cls.run_of_text = os.path.join(cls.folder, "of-text")
        bd.train("transformer", "fp32", steps=12, data=cls.text, out=cls.run_of_text, **sizes)
        cls.drawn = os.path.join(cls.folder, "drawn")  # with a master
        bd.train("transformer", "bf16-amp", steps=60, lr=0.02, out=cls.drawn, **sizes)
        cls.mlp = os.path.join(cls.folder, "mlp")
        bd.train("mlp", "fp32", steps=5, out=cls.mlp)
        cls.weights = os.path.join(cls.folder, "llama")
        os.makedirs(cls.weights)
        with open(cls.weights + "/config.json", "w", encoding="utf-8") as file:
            json.dump(SMALL, file)
        subprocess.run([BINADE, "train", "--config", cls.weights + "/config.json", "--data", cls.text, "--recipe",
                        "fp32", "--steps", "1", "--csv", "--dump-init", cls.weights + "/model.safetensors"],
                       capture_output=True, check=True)

    def same(self, checkpoint, options, *words):
        ours = bd.evaluate(checkpoint, **options)
        theirs, = command("evaluate", checkpoint, *words)["checkpoints"]
        self.assertEqual(plain(ours), theirs)
        return ours

    def test_a_text_that_has_changed(self):
        text = os.path.join(self.folder, "changing")
        with open(text, "w", encoding="utf-8") as file:
            file.write("the quick brown fox " * 60)
        run = os.path.join(self.folder, "changed")
        bd.train("transformer", "fp32", steps=1, width=8, depth=1, heads=2, context=8, data=text, out=run)
        before = bd.evaluate(run, "fp32", batches=1).recipes[0]["loss"]
        with open(text, "a", encoding="utf-8") as file:
            file.write("the quick brown box " * 60)
        with self.assertRaisesRegex(ValueError, "the content of the data has changed"):
            bd.evaluate(run, "fp32", batches=1)
        self.assertNotEqual(bd.evaluate(run, "fp32", batches=1, data=text).recipes[0]["loss"], before)

    def test_a_run(self):
        path = self.at("drawn", "bf16-amp-0")
        ours = self.same(path, {"batches": 12}, "--batches", 12)
        self.assertEqual([row["recipe"] for row in ours.recipes],
                         ["fp32", "bf16-amp", "fp8-current", "mxfp8", "nvfp4", "mxfp4"])
        self.assertEqual((ours.trained_with, ours.steps, ours.batches), ("bf16-amp", 60, 12))
        self.assertTrue(any(row["tensors"] for row in ours.recipes))
        self.assertEqual(ours, bd.evaluate(path, batches=12, threads=2))
        self.same(path + "/checkpoint.safetensors",
                  {"recipe": ["mxfp4;gemm_fwd.w=e4m3/row", "fp32", "fp8-delayed"], "batches": 1, "tensors": 1},
                  "--recipe", "mxfp4;gemm_fwd.w=e4m3/row,fp32,fp8-delayed", "--batches", 1, "--tensors", 1)

    def test_a_model_without_language(self):
        ours = self.same(self.mlp, {"recipe": "nvfp4", "batches": 4}, "--recipe", "nvfp4", "--batches", 4)
        self.assertIsNone(plain(ours)["recipes"][0]["perplexity"])

    def test_other_data(self):
        other = self.at("other")
        with open(other, "w", encoding="utf-8") as file:
            file.write("dog lazy the over jumps fox brown quick the\n" * 100)
        ours = self.same(self.run_of_text, {"recipe": "mxfp8", "data": other, "batches": 2, "tensors": 0},
                         "--recipe", "mxfp8", "--data", other, "--batches", 2, "--tensors", 0)
        self.assertNotEqual(ours.recipes[0]["loss"],
                            bd.evaluate(self.run_of_text, "fp32", batches=2).recipes[0]["loss"])
        tokens = self.at("tokens")
        with open(tokens, "wb") as file:
            file.write(b"\x74\x00\x68\x00\x65\x00\x20\x00" * 400)
        self.same(self.run_of_text, {"recipe": "fp32", "data": tokens, "data_type": "uint16", "batches": 2},
                  "--recipe", "fp32", "--data", tokens, "--data-type", "uint16", "--batches", 2)

    def test_weights_of_hugging_face(self):
        ours = self.same(self.weights, {"recipe": "mxfp4", "data": self.text, "batches": 2, "context": 12},
                         "--recipe", "mxfp4", "--data", self.text, "--batches", 2, "--context", 12)
        self.assertEqual((ours.model, ours.trained_with, ours.steps), ("llama", "fp32", 0))
        self.same(self.weights + "/model.safetensors",
                  {"recipe": "fp32", "data": self.text, "batches": 2, "config": self.weights + "/config.json"},
                  "--recipe", "fp32", "--data", self.text, "--batches", 2, "--config", self.weights + "/config.json")

    def test_tables(self):
        ours = bd.evaluate(self.run_of_text, "mxfp4,fp8-current", batches=4)
        rows = list(csv.DictReader(io.StringIO(asked(self.run_of_text, "--recipe", "mxfp4,fp8-current", "--batches", 4,
                                                     "--csv")[1])))
        columns = ours.columns
        self.assertEqual(set(columns), set(rows[0]))
        for key, column in columns.items():
            found = ["" if x != x else x for x in column.tolist()]
            self.assertEqual(found, [type(x)(row[key]) for x, row in zip(found, rows)])
        lines = repr(ours).splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["recipe", "fp32", "mxfp4", "fp8-current"])
        self.assertEqual(ours._repr_html_().count("<tr>"), 4)

    def test_progress(self):
        seen = []
        bd.evaluate(self.run_of_text, "mxfp8,mxfp4", batches=1, progress=lambda *at: seen.append(at))
        self.assertEqual([done for done, _ in seen], list(range(1, seen[0][1] + 1)))
        self.assertGreater(len(seen), 10)  # two recipes at each place
        seen = []
        bd.evaluate(self.run_of_text, "mxfp8,mxfp4", batches=1, tensors=0, progress=lambda *at: seen.append(at))
        self.assertEqual(seen, [(1, 3), (2, 3), (3, 3)])

        def fails(done, total):
            raise RuntimeError("from the callback")
        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            bd.evaluate(self.run_of_text, "mxfp8", batches=1, progress=fails)
        with self.assertRaisesRegex(bd.Error, "^mxfp8: stopped"):
            bd.evaluate(self.run_of_text, "mxfp8", batches=1, progress=lambda done, total: done < 3)

    def test_wrong_input_is_told_as_by_the_command(self):
        numbers, empty = self.at("numbers"), self.at("empty")
        with open(numbers, "w", encoding="utf-8") as file:
            file.write("\n".join(map(str, range(3000))))
        os.makedirs(empty)
        wrong = self.at("wrong.json")
        with open(wrong, "w", encoding="utf-8") as file:
            json.dump({**SMALL, "rope_scaling": {"rope_type": "yarn"}}, file)
        drawn = self.at("drawn", "bf16-amp-0")
        cases = ((self.at("nothing"), {}), (empty, {}), (empty + "/", {}), (numbers, {}),
                 (self.weights + "/model.safetensors", {}), (self.weights, {}),
                 (self.weights, {"config": wrong, "data": self.text}), (self.weights, {"data": self.at("missing")}),
                 (drawn, {"data": numbers}), (drawn, {"data": self.at("missing")}), (drawn, {"context": 4}),
                 (drawn, {"recipe": "mxfp9"}), (drawn, {"recipe": "gemm=e99"}), (drawn, {"data_type": "uint8"}),
                 (drawn, {"tokenizer": self.text}), (self.run_of_text, {"tokenizer": self.text}),
                 (self.weights, {"data": self.text, "context": 10**6}),
                 (self.mlp, {"data": self.text}))
        for checkpoint, options in cases:
            with self.subTest(checkpoint=checkpoint, **options):
                words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), value)]
                status, printed, errors = asked(checkpoint, *words)
                self.assertIn(status, (2, 3))
                self.assertEqual(printed, "")
                with self.assertRaises(ValueError) as caught:
                    bd.evaluate(checkpoint, **options)
                theirs = errors.replace("binade evaluate: ", "", 1).replace("--data-type", "data_type")
                theirs = theirs.replace("--", "").replace(" FILE", "").strip()
                self.assertEqual(str(caught.exception), theirs)

    def test_arguments(self):
        self.refuses("batches must be a whole number from 1 to 1048576, not 0", bd.evaluate, self.mlp, batches=0)
        self.refuses("tensors must be a whole number", bd.evaluate, self.mlp, tensors=-1)
        self.refuses("must be a str or a path", bd.evaluate, 3)
        self.refuses("must be a function", bd.evaluate, self.mlp, progress=3)
        self.refuses("at least one recipe", bd.evaluate, self.mlp, [])


if __name__ == "__main__":
    unittest.main()
