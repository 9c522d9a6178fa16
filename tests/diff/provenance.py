"""provenance.py BINADE FOLDER: asks `binade diff` how the checkpoints of FOLDER/provenance were made."""
import json
import os
import subprocess
import sys

PARTS = ("scale", "quotient", "rounding", "zero")
COUNTS = (("codes", "codes_made"), ("scales", "scales_made"), ("tensor_scales", "tensor_scales_made"))


def ask(binade, a, b, *options):
    run = subprocess.run([binade, "diff", a, b, "--json", *options], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        return None, run.stderr.strip()
    return json.loads(run.stdout), None


def complaints(answer, made):
    groups = answer["explained_by"]
    if len(groups) != 1:
        yield f"{len(groups)} ways instead of one"
    for group in groups:
        for whole, part in COUNTS:
            if group[whole] != group[part]:
                yield f"{group[part]} of {group[whole]} {whole}"
        for part in PARTS:
            if made[part] not in group[part]:
                yield f"{part} {made[part]} is not among {', '.join(group[part])}"
        if bool(made["fused"]) != bool(group["fused"]):
            yield f"fused: {group['fused']}"


def main():
    binade, folder = sys.argv[1:]
    with open(os.path.join(folder, "provenance.json"), encoding="utf-8") as file:
        rows = json.load(file)
    base = os.path.join(folder, "provenance", rows[0]["name"])
    failed = 0
    for made in rows[1:]:
        path = os.path.join(folder, "provenance", made["name"])
        answer, why = ask(binade, path, base)
        wrong = [why] if answer is None else list(complaints(answer, made))
        one, _ = ask(binade, path, base, "--threads", "1")
        three, _ = ask(binade, path, base, "--threads", "3")
        if one != three or one != answer:
            wrong.append("the answer depends on the number of threads")
        for text in wrong:
            print(f"{made['name']}: {text}")
        failed += bool(wrong)
    print(f"{len(rows) - 1 - failed} passed, {failed} failed")
    sys.exit(failed > 0 or len(rows) < 41)


main()
