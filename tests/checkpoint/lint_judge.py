"""`binade lint` over the fixtures: silent on right checkpoints, and the damage of damaged ones by its word.

    lint_judge.py FOLDER BINADE ...     FOLDER of make-checkpoint-fixtures.py"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import check, conclude  # noqa: E402

folder, binade = sys.argv[1], sys.argv[2:]


def lint(path):
    """(status, {code: severities}, what it said)"""
    run = subprocess.run(binade + ["lint", os.path.join(folder, path), "--json"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    said = run.stderr.decode()
    codes = {}
    if run.returncode in (0, 1):
        for finding in json.loads(run.stdout)["findings"]:
            codes.setdefault(finding["code"], set()).add(finding["severity"])
            said += f" {finding['code']} {finding['where']}: {finding['message']};"
    return run.returncode, codes, said[:600]


def each(kind):
    for name in sorted(os.listdir(os.path.join(folder, kind))):
        if name.endswith(".json"):
            with open(os.path.join(folder, kind, name), encoding="utf-8") as file:
                yield name[:-5], json.load(file)


for name, expected in each("right"):
    status, codes, said = lint(expected["path"])
    more = [code for code in codes if not (code in expected["notes"] and codes[code] == {"note"})]
    check(status == 0 and not more, f"{name} is right: {status} {said}")
for name, expected in each("damaged"):
    status, codes, said = lint(expected["path"])
    for finding in expected["findings"]:
        words = finding.split("|")
        named = status == 1 and any(word in codes for word in words)
        check(named or ("refused" in words and status == 2), f"{name} is called {finding}: {status} {said}")
conclude()
