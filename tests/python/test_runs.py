"""libbinade.runs: the answers of binade train, sweep and compare; Ctrl-C."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

import numpy as np

import libbinade as bd
from lab import Case, command, plain

SENTENCES = ("conclusion", "answer", "notes")
TIMED = ("step_seconds", "flops_per_second", "utilization")  # measured on this machine


def untimed(value):
    """An answer without what differs from run to run of the program, and without sentences."""
    if isinstance(value, dict):
        return {key: untimed(v) for key, v in value.items() if key not in TIMED
                and key not in ("peak_flops_per_second", *SENTENCES, "updates", "gradients", "nan_runs")}
    return [untimed(v) for v in value] if isinstance(value, list) else value


class Train(Case):
    def same(self, options, *words, model="mlp"):
        theirs = command("train", "--model", model, *words)
        ours = bd.train(model, **options)
        self.assertEqual(untimed(plain(ours.to_dict())), untimed(theirs))
        return ours

    def test_the_command(self):
        self.same({"steps": 12}, "--steps", 12)
        ours = self.same({"recipe": "bf16-sr,fp16-pure", "steps": 25, "seeds": 3, "lr": 0.01, "optimizer": "lion",
                          "schedule": "cosine", "batch": 8, "width": 16},
                         "--recipe", "bf16-sr,fp16-pure", "--steps", 25, "--seeds", 3, "--lr", 0.01,
                         "--optimizer", "lion",
                         "--schedule", "cosine", "--batch", 8, "--width", 16)
        self.assertEqual([run.seed_init for run in ours], [0, 1, 2] * 3)
        self.assertEqual(ours.reference, "fp32")

    def test_unused_options(self):
        self.refuses("beta1 cannot be used with optimizer sgd", bd.train, "mlp", "fp32", optimizer="sgd",
                     betas=(0.9, 0.99), steps=2)
        self.refuses("epsilon cannot be used with optimizer lion", bd.sweep, "mlp", "fp32", [0.1], optimizer="lion",
                     eps=1e-8, steps=2)
        self.refuses("epsilon cannot be used with optimizer sgd", bd.train, "mlp", "fp32", optimizer="sgd", eps=0)
        self.refuses("betas cannot be used with optimizer adagrad", bd.train, "mlp", "fp32", optimizer="adagrad",
                     betas=(0, 0))
        self.refuses("deviation must be a number above 0", bd.train, "transformer", "fp32", blocks="deviation=0")
        self.refuses("role m holds signed numbers; ue5m3 has no sign", bd.train, "mlp", "base=fp32,m=ue5m3", steps=2)
        found = bd.train("mlp", ["fp32", "base=fp32,attn=bf16"], steps=2)
        self.assertIn("Settings of base=fp32,attn=bf16 have no effect: attn= (no attention uses it).", found.notes)
        found = bd.train("linear", "base=bf16-amp,ns=e4m3", optimizer="sgd", steps=2)
        self.assertIn("Settings of base=bf16-amp,ns=e4m3 have no effect: ns= (the optimizer has no Newton-Schulz "
                      "iteration).", found.notes)

    def test_without_a_directory(self):
        """What would do nothing without a directory is refused, as by the command."""
        self.refuses("checkpoint needs out", bd.train, "mlp", "fp32", steps=2, checkpoint=1)
        self.refuses("resume needs out", bd.train, "mlp", "fp32", steps=2, resume=True)
        self.refuses("keep_checkpoints needs out", bd.sweep, "mlp", "fp32", [0.1], steps=2, keep_checkpoints=True)

    def test_wrong_arguments(self):
        self.refuses("betas must be two numbers", bd.train, "mlp", "fp32", steps=2, betas={0.9, 0.99})
        for switch in ("@1", "fp32@1e3", "fp32@\u0662\u00b2", "x" * 5000):
            self.refuses("switch must be 'RECIPE@STEP'", bd.train, "mlp", "fp32", steps=2, switch=switch)
        for function in (bd.compare, bd.load_run):
            self.refuses("none.csv: cannot be opened: No such file", function, self.at("none.csv"))
        with self.assertRaises(ValueError) as caught:
            bd.train("mlp", "fp32", switch="x" * 5000)
        self.assertLess(len(str(caught.exception)), 200)

    def test_other_options(self):
        self.same({"recipe": ["base=bf16-amp,v=bf16", "fp32"], "steps": 6, "betas": (0.8, 0.9), "eps": 1e-6, "wd": 0,
                   "seed_init": 5, "seed_data": 6, "seed_rounding": 7, "tied": True, "recompute": True, "heads": 2,
                   "context": 8, "source": "chain", "width": 16, "batch": 4, "switch": "bf16-sr@3", "validate": 2,
                   "statistics": "none", "margin": 0.1, "clip": 0.5, "micro_batches": 2, "ranks": 2},
                  "--recipe", "base=bf16-amp,v=bf16,fp32", "--steps", 6, "--betas", "0.8,0.9", "--eps", 1e-6, "--wd", 0,
                  "--seed-init", 5, "--seed-data", 6, "--seed-rounding", 7, "--tied", "--recompute", "--heads", 2,
                  "--context", 8, "--source", "chain", "--width", 16, "--batch", 4,
                  "--switch", "bf16-sr@3", "--validate",
                  2, "--statistics", "none", "--margin", 10, "--clip", 0.5, "--micro-batches", 2, "--ranks", 2,
                  model="transformer")

    def test_without_reference(self):
        self.same({"recipe": ["bf16-pure", "bf16-sr"], "steps": 6, "reference": False, "switch": "fp32@3"},
                  "--recipe", "bf16-pure,bf16-sr", "--steps", 6, "--no-reference", "--switch", "fp32@3")
        alone = bd.train("mlp", "bf16-sr", steps=6, reference=False)
        self.assertEqual([row["recipe"] for row in alone.recipes], ["bf16-sr"])
        self.refuses("reference=False needs recipes without fp32", bd.train, "mlp", "fp32", reference=False)

    def test_sentences(self):
        """The conclusion and the notes are those of the command: of a table, and of a report of it."""
        out = self.at("said")
        made = bd.train("mlp", "bf16-pure,fp16-pure,bf16-sr", steps=60, seeds=3, out=out)
        theirs, report = command("compare", out), command("report", out)
        self.assertEqual(" ".join(made.answer), theirs["conclusion"])
        self.assertEqual(made.to_dict()["answer"], made.answer)
        self.assertIn("Failed: fp16-pure (NaN at step 1).", made.answer)
        self.assertEqual(made.notes, report["notes"])
        self.assertTrue(made.notes[-1].startswith("fp16-pure failed in 3 of 3 runs: its loss is NaN from step 1 on."))
        self.assertEqual((bd.compare(out).answer, bd.compare(out).notes), (made.answer, made.notes))
        alone = bd.train("mlp", "fp32", steps=2)
        self.assertEqual(alone.answer, [])

    def test_sentences_of_a_sweep(self):
        out = self.at("rates")
        made = bd.sweep("mlp", "fp32,bf16-pure,fp16-pure", [1e-3, 1e-2], steps=6, out=out)
        self.assertEqual(" ".join(made.answer), command("report", out)["conclusion"])
        self.assertEqual(made.answer[0], "Each recipe at its best learning rate, compared with fp32 at its own.")
        self.assertIn("Failed: fp16-pure.", made.answer)
        alone = bd.sweep("mlp", "bf16-pure", [1e-3], steps=2)
        self.assertEqual(alone.answer, ["There are no verdicts and no gaps, because fp32 is not among the recipes."])

    def test_columns(self):
        found = bd.train("mlp", "fp16-pure", steps=9, seeds=2)
        columns = found.columns
        self.assertEqual({len(column) for column in columns.values()}, {4})
        self.assertTrue(all(isinstance(column, np.ndarray) for column in columns.values()))
        self.assertEqual(columns["recipe"].tolist(), ["fp32"] * 2 + ["fp16-pure"] * 2)
        self.assertEqual(columns["verdict"].tolist()[:2], ["reference"] * 2)
        self.assertEqual(columns["loss"].dtype, np.float64)
        self.assertEqual(columns["updates"].dtype.kind, "i")
        self.assertEqual(found.table["recipe"].tolist(), ["fp32", "fp16-pure"])
        steps = found[0].columns
        self.assertEqual(steps["step"].tolist(), list(range(9)))
        self.assertEqual(steps["loss"][-1:].mean(), found[0].loss)
        self.assertIn("fp16-pure", repr(found))
        self.assertIn("<td>fp16-pure</td>", found._repr_html_())
        self.assertEqual(sum(found[0].memory.values()), found[0].memory_bytes)

    def test_directories(self):
        out = self.at("kept")
        first = bd.train("mlp", "bf16-amp", steps=7, seeds=2, out=out)
        self.assertEqual(sorted(os.listdir(out)), ["bf16-amp-0", "bf16-amp-1", "fp32-0", "fp32-1"])
        again = bd.load_run(os.path.join(out, "bf16-amp-1"))
        self.assertEqual(again.columns["loss"].tolist(), first[3].columns["loss"].tolist())
        self.refuses("already holds a run", bd.train, "mlp", "bf16-amp", steps=7, seeds=2, out=out)
        resumed = bd.train("mlp", "bf16-amp", steps=7, seeds=2, out=out, resume=True)
        self.assertEqual(plain(resumed.to_dict()), plain(first.to_dict()))
        compared = bd.compare(out)
        self.assertEqual(untimed(plain(compared.to_dict())), untimed(command("compare", out)))
        mixed = bd.compare(first, os.path.join(out, "fp32-0"), again)
        self.assertEqual(len(mixed), 4)  # a run that is given twice counts once, and columns have a row per run
        self.assertEqual([row["pairs"] for row in mixed.recipes], [2, 2])
        self.assertEqual(len(mixed.columns["verdict"]), 4)
        self.assertEqual(sum("repeats another" in note for note in mixed.notes), 2)
        os.remove(os.path.join(out, "bf16-amp-0", "config.json"))
        rest = bd.compare(out)
        self.assertEqual((len(rest), rest.notes[-1]),
                         (3, os.path.join(out, "bf16-amp-0") + " is left out: it has no config.json, or an empty one."))
        again.write_csv(self.at("steps.csv"))
        self.assertEqual(bd.load_run(self.at("steps.csv")).columns["loss"].tolist(), again.columns["loss"].tolist())

    def test_logs_of_other_programs(self):
        with open(self.at("log.csv"), "w", encoding="utf-8") as file:
            file.write("n,l\n1,3.5\n2,3.25\n3,nan\n")
        found = bd.compare(self.at("log.csv"), step_column="n", loss_column="l")
        theirs = command("compare", self.at("log.csv"), "--step-column", "n", "--loss-column", "l")
        self.assertEqual(untimed(plain(found.to_dict())), untimed(theirs))
        run = bd.load_run(self.at("log.csv"), step_column="n", loss_column="l")
        self.assertEqual(run.columns["loss"].tolist()[:2], [3.5, 3.25])
        self.refuses("name the step column and the loss column", bd.load_run, self.at("log.csv"))
        self.refuses("loss_column is a str", bd.load_run, self.at("log.csv"), loss_column=5)

    def test_plots_without_matplotlib(self):
        runs = bd.train("mlp", "fp32", steps=1)
        with unittest.mock.patch.dict("sys.modules", {"matplotlib": None}):
            for found, words in ((runs, "curves() has the numbers"), (runs[0], "columns has the numbers")):
                with self.assertRaises(ImportError) as caught:
                    found.plot()
                self.assertIn(words, str(caught.exception))

    def test_curves(self):
        found = bd.train("mlp", "bf16-amp", steps=30, seeds=2)
        curves = found.curves()
        self.assertEqual(list(curves), ["fp32", "bf16-amp"])
        self.assertEqual({len(curve["mean"]) for curve in curves.values()}, {len(curves["fp32"]["step"])})
        self.assertTrue(np.isfinite(curves["fp32"]["mean"]).all())
        try:
            import matplotlib
        except ImportError:
            self.refuses_plot(found)
        else:
            matplotlib.use("Agg")
            self.assertEqual(len(found.plot().lines), 2)

    def refuses_plot(self, found):
        with self.assertRaisesRegex(ImportError, "plots need matplotlib"):
            found.plot()

    def test_progress(self):
        seen = []
        bd.train("mlp", "fp32", steps=5, progress=seen.append)
        self.assertEqual([p.step for p in seen], [1, 2, 3, 4, 5])
        self.assertEqual({(p.recipe, p.seed, p.steps) for p in seen}, {("fp32", 0, 5)})
        stopped = bd.train("mlp", "fp32", steps=50, progress=lambda p: p.step < 3)
        self.assertFalse(stopped.complete)
        self.assertEqual(stopped.recipes[0]["verdict"], "unfinished")
        with self.assertRaises(ZeroDivisionError):
            bd.train("mlp", "fp32", steps=50, progress=lambda p: 1 / 0)

    def test_ctrl_c(self):
        out = self.at("stopped")
        program = ("import signal, sys, libbinade as bd\n"
                   "signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it\n"
                   "def show(p):\n    print(p.step, flush=True)\n"
                   "try:\n    bd.train('transformer', 'fp32', steps=100000, out=sys.argv[1], progress=show)\n"
                   "except bd.Interrupted as why:\n    print('stopped', len(why.made), why.made.complete)\n")
        with subprocess.Popen([sys.executable, "-c", program, out], stdout=subprocess.PIPE, text=True) as made:
            self.assertEqual(made.stdout.readline(), "1\n")
            made.send_signal(signal.SIGINT)
            try:
                said = made.communicate(timeout=300)[0].split("\n")
            except subprocess.TimeoutExpired:
                made.kill()
                self.fail("Ctrl-C did not stop the run")
        self.assertEqual(said[-2], "stopped 1 False")
        self.assertIn("checkpoint.safetensors", os.listdir(out))
        self.assertEqual(bd.load_run(out).complete, False)

    def test_ctrl_c_in_progress(self):
        def show(p):  # Ctrl-C while the function for progress runs: its own answer does not take it back
            if p.step == 1:
                signal.raise_signal(signal.SIGINT)
                time.sleep(0.5)

        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.assertRaises(bd.Interrupted) as caught:
                bd.train("mlp", "fp32", steps=500, progress=show)
        finally:
            signal.signal(signal.SIGINT, handler)
        self.assertEqual(caught.exception.made.recipes[0]["verdict"], "unfinished")

    def test_config(self):
        path = self.at("config.json")
        with open(path, "w", encoding="ascii") as file:
            file.write('{"model_type": "gpt2", "n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 9, '
                       '"vocab_size": 20}')
        given = dict(steps=2, batch=2, seed_init=3)
        theirs = command("train", "--config", path, "--recipe", "fp32", "--steps", 2, "--batch", 2, "--seed-init", 3)
        ours = bd.train(recipe="fp32", config=path, **given)
        self.assertEqual(plain(ours.to_dict())["runs"], theirs["runs"])
        self.assertEqual(ours.to_dict()["model"], "gpt2")
        self.refuses("it must be llama", bd.train, "llama", config=path)
        self.refuses("No such file", bd.train, config=self.at("none"))

    def test_columns_of_logs(self):
        path = self.at("theirs.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write("_step,train/loss\n1,3.5\n2,3.4\n")
        run = bd.load_run(path)
        self.assertEqual((run["step_column"], run["loss_column"]), ("_step", "train/loss"))
        self.assertIsNone(bd.train("mlp", "fp32", steps=1)[0]["step_column"])

    def test_refusals(self):
        self.refuses("did you mean", bd.train, "transfomer")
        self.refuses("did you mean", bd.train, "mlp", "bf16-sx")
        self.refuses("unknown option 'step'", bd.train, "mlp", step=3)
        self.refuses("steps must be a whole number", bd.train, "mlp", steps=0)
        self.refuses("steps must be a whole number", bd.train, "mlp", steps=2.5)
        self.refuses("lr must be above 0", bd.train, "mlp", lr=0)
        self.refuses("lr must be a number", bd.train, "mlp", lr="much")
        self.refuses("betas must be", bd.train, "mlp", betas=(0.9, 1))
        self.refuses("statistics must be one of", bd.train, "mlp", statistics="all")
        self.refuses("source cannot be used with mlp", bd.train, "mlp", source="copy")
        self.refuses("data_type is", bd.train, "transformer", data_type="uint8")
        self.refuses("data_type is", bd.train, "transformer", data=__file__, data_type="")
        self.refuses("heads cannot be used with model mlp", bd.train, "mlp", heads=3)
        self.refuses("inputs cannot be used with model transformer", bd.train, inputs=5)
        self.refuses("tied cannot be used with model linear", bd.train, "linear", tied=True)
        for wrong in ("bf16-sr", 5, ("bf16-sr", 2, 3)):
            self.refuses("switch must be 'RECIPE@STEP'", bd.train, "mlp", "bf16-amp", switch=wrong)
        self.refuses("switch must name one recipe, got 2: 'bf16-sr,fp16-pure@2'", bd.train, "mlp", "bf16-amp",
                     switch="bf16-sr,fp16-pure@2")
        self.refuses("the runs have only 5 steps", bd.train, "mlp", "bf16-amp", steps=5, switch="bf16-sr@9")
        self.refuses("schedule", bd.train, "mlp", schedule="steep")
        self.refuses("at least one recipe", bd.train, "mlp", [])
        self.refuses("No such file", bd.load_run, self.at("nothing"))
        self.refuses("expected a run", bd.compare)
        self.refuses("No such file", bd.train, "mlp", self.at("none.json"))


class Sweep(Case):
    def test_the_command(self):
        theirs = command("sweep", "--model", "mlp", "--recipe", "fp32,bf16-sr", "--lr", "1e-3,1e-1,10", "--steps", 15,
                         "--seeds", 2)
        ours = bd.sweep("mlp", ["fp32", "bf16-sr"], [1e-3, 1e-1, 10], steps=15, seeds=2)
        self.assertEqual(untimed(plain(ours)), untimed(theirs))
        self.assertEqual(len(ours.columns["lr"]), 6)
        self.assertEqual(len(ours.runs), 12)

    def test_rates_and_directories(self):
        rates = bd.learning_rates(1e-4, 1e-1, 7)
        theirs = command("sweep", "--model", "mlp", "--recipe", "fp32", "--steps", 2)
        self.assertEqual([p["lr"] for p in theirs["recipes"][0]["points"]], rates)
        out = self.at("sweep")
        first = bd.sweep("mlp", "fp32", [0.01, 0.1], steps=3, out=out)
        self.assertEqual(sorted(os.listdir(out)), ["fp32-lr0.01-0", "fp32-lr0.1-0"])
        self.assertEqual(plain(bd.sweep("mlp", "fp32", [0.01, 0.1], steps=3, out=out)), plain(first))
        self.refuses("lr must be above 0", bd.sweep, "mlp", "fp32", [0])
        self.refuses("at least one learning rate", bd.sweep, "mlp", "fp32", [])


class Tables(Case):
    def test_tables(self):
        listed = command("train", "--list")
        for ours, key in ((bd.recipes(), "recipes"), (bd.models(), "models"), (bd.optimizers(), "optimizers")):
            self.assertEqual([row["name"] for row in ours], [row["name"] for row in listed[key]])

    def test_recipes_of_a_file(self):
        with open(self.at("mine.json"), "w", encoding="utf-8") as file:
            json.dump({"name": "mine", "settings": "base=bf16-amp,v=bf16"}, file)
        try:
            theirs = command("train", "--model", "mlp", "--recipe", self.at("mine.json"), "--steps", 2)
        except AssertionError as why:
            words = str(why).split(": ", 3)[-1].strip().splitlines()[0]
            self.refuses(words[:40], bd.train, "mlp", self.at("mine.json"), steps=2)
        else:
            ours = bd.train("mlp", self.at("mine.json"), steps=2)
            self.assertEqual([row["recipe"] for row in ours.recipes], [row["recipe"] for row in theirs["recipes"]])


if __name__ == "__main__":
    unittest.main()
