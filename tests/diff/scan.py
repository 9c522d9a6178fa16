"""scan.py BINADE FOLDER: what `binade scan` predicts for FOLDER/provenance/base, and what `binade diff` finds."""
import json
import os
import shutil
import subprocess
import sys

# a candidate of scan, and the options of quantize that make it
CANDIDATES = (("e4m3/row", "--to e4m3 --scale row --scale-dtype fp32"),
              ("e4m3/tensor", "--to e4m3 --scale tensor --scale-dtype fp32 --no-fuse"),
              ("e4m3/tile:128x128", "--to e4m3 --scale tile:128x128 --scale-dtype fp32"),
              ("nvfp4", "--to nvfp4 --layout modelopt --no-fuse"),
              ("mxfp8", "--to mxfp8 --rule rceil"),
              ("mxfp4", "--to mxfp4 --rule rceil"))


def main():
    binade, folder = sys.argv[1:]
    base, made = os.path.join(folder, "provenance", "base"), os.path.join(folder, "made")

    def ask(*words, good=(0, 1)):
        run = subprocess.run([binade, *words], capture_output=True, text=True, check=False)
        if run.returncode not in good:
            sys.exit(f"{' '.join(words)}: {run.stderr}")
        return run.stdout
    predicted = {t["name"]: {c["name"]: c for c in t.get("candidates", ())}
                 for t in json.loads(ask("scan", base, "--json"))["tensors"]}
    compared, wrong = 0, 0
    for name, options in CANDIDATES:
        shutil.rmtree(made, ignore_errors=True)
        ask("quantize", base, made, *options.split(), good=(0,))
        for found in json.loads(ask("diff", made, base, "--no-explain", "--json"))["list"]:
            if "/" not in found["a"]:
                continue
            said = predicted[found["weight"]][name]
            compared += 1
            if (said["squared_error"], said["squared_input"]) != (found["squared_error"], found["squared_b"]):
                print(f"{name}, {found['weight']}: {said['squared_error']!r} and {found['squared_error']!r}")
                wrong += 1
    print(f"{compared - wrong} passed, {wrong} failed")
    sys.exit(wrong > 0 or compared < 42)


main()
