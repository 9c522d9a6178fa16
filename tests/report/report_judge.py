"""Reports of small runs: their parts agree with the terminal, the page holds the same object whatever names the files
have, and long runs keep their extremes."""
import json
import os
import shlex
import shutil
import subprocess

from checks import check, conclude

command = shlex.split(os.environ["BND_COMMAND"])


def binade(*words, cwd=None):
    """What the command prints."""
    return subprocess.run(command + list(words), check=True, cwd=cwd, stdout=subprocess.PIPE).stdout


def report(*words):
    return json.loads(binade("report", "--json", *words))


PAGE = b'<p>before</p>\n<script type="application/json" id="binade-report">%s</script>\n<p>after</p>\n'
with open("page.html", "wb") as file:
    file.write(PAGE % b"null")
os.environ["BINADE_PAGE"] = os.path.abspath("page.html")


def inside(path):
    """The text of the report in a page, of which everything else is as it was."""
    with open(path, "rb") as page:
        text = page.read()
    before, after = (PAGE % b"|").split(b"|")
    check(text.startswith(before) and text.endswith(after), f"{path}: the page around the report")
    return text[len(before) : -len(after)]


# ---- runs ----

linear = "--model linear --optimizer sgd --lr 0.03 --steps 60 --seeds 2 --plot none".split()
recipes = ["--recipe", "bf16-amp,fp16-pure"]
binade("train", *linear, *recipes, "--out", "runs", "--report", "train.html")
runs = report("runs")
terminal = binade("compare", "runs", "--plot", "none").decode()
words = " ".join(terminal.split())
check(runs["conclusion"] in words, "the conclusion is the terminal's")
for row in runs["table"]["rows"]:
    cells = {c["key"]: text for c, text in zip(runs["table"]["columns"], row)}
    line = " ".join(cells[key] for key in ("recipe", "verdict", "final_loss", "gap"))
    check(line in words, f"the terminal's table has: {line}")
for word, meaning in runs["legend"]:
    check(word in words, f"the terminal explains {word}") if word in ("loss", "gap", "tolerance") else None
check([r["recipe"] for r in runs["recipes"]] == ["fp32", "bf16-amp", "fp16-pure"], "a recipe a row")
binade("report", "runs", "-o", "report.html")
check(json.loads(inside("report.html")) == runs, "the page has what --json prints")

# The commands make the same runs again.
os.mkdir("again")
subprocess.run(["sh", "-c", 'PATH=$1:$PATH; eval "$2"', "sh", os.path.dirname(command[-1]),
                runs["commands"][0]["line"]],
               check=True, cwd="again", stdout=subprocess.DEVNULL)
for run in sorted(os.listdir("runs")):
    if run != ".lock":
        same = all(open(f"{top}/{run}/config.json").read() == open(f"again/{top}/{run}/config.json").read()
                   for top in ["runs"])
        check(same, f"the command makes {run} again")
check([c["what"] for c in runs["commands"]] == ["make the runs", "compare them", "make this report"], "the commands")

# Losses are those of metrics.jsonl, and curves end where the run does.
for recipe in runs["recipes"]:
    for run in recipe["runs"]:
        with open(run["source"] + "/metrics.jsonl") as lines:
            steps = [json.loads(line) for line in lines]
        drawn = dict(zip(run["curves"]["loss"]["step"], run["curves"]["loss"]["value"]))
        near = all(abs(x - steps[s]["loss"]) <= 1e-4 * abs(x) for s, x in drawn.items())
        check(near and min(drawn) == 0 and max(drawn) == 59, f"{run['source']}: losses")
        first = recipe["histograms"][0]["roles"][0]
        if run is recipe["runs"][0]:
            check(steps[0][first["role"] + "/exponents"] == first["counts"], f"{run['source']}: histogram")
            check([h["step"] for h in recipe["histograms"]] == [0, 3, 15, 59], f"{run['source']}: steps of histograms")
check(runs["formats"]["fp16"] == {"smallest": -24, "smallest_normal": -14, "largest": 15}, "the range of fp16")

# The gap over steps is the mean of the smoothed differences, and ends near the gap of losses.
for recipe in runs["recipes"][1:]:
    curve = recipe["gap_curve"]
    pairs = []
    for run, base in zip(recipe["runs"], runs["recipes"][0]["runs"]):
        a, b = ([json.loads(line)["loss"] for line in open(r["source"] + "/metrics.jsonl")] for r in (run, base))
        pairs.append(sum(x - y for x, y in zip(a[-curve["window"] :], b[-curve["window"] :])) / curve["window"])
    expected = sum(pairs) / len(pairs)
    check(curve["step"][-1] == 59 and abs(curve["gap"][-1] - expected) < 1e-4, f"{recipe['recipe']}: gap over steps")
check(runs["recipes"][0]["gap_curve"] is None, "the reference has no gap")

# A training writes the same report as its directory; without one there is nothing to read again.
trained = json.loads(inside("train.html"))
for key in ("conclusion", "table", "setup", "notes", "recipes", "commands"):
    check(trained[key] == runs[key], f"train --report has the same {key}")
binade("train", *linear, *recipes, "--report", "alone.html")
alone = json.loads(inside("alone.html"))
check([c["what"] for c in alone["commands"]] == ["make the runs"], "a training without --out")
check(alone["table"] == runs["table"] and alone["recipes"][1]["histograms"] == runs["recipes"][1]["histograms"],
      "a training without --out has the same table and histograms")

# ---- a sweep ----

binade("sweep", "--model", "linear", "--optimizer", "sgd", "--lr", "0.01,0.03", "--steps", "30", "--recipe",
       "fp32,bf16-pure", "--seeds", "2", "--out", "sweep", "--report", "sweep.html")
sweep, swept = report("sweep"), json.loads(inside("sweep.html"))
check(sweep["kind"] == "sweep" and runs["kind"] == "runs" and runs["sweep"] is None, "kinds")
check(swept["sweep"]["recipes"][1]["points"]
      == [r for r in sweep["sweep"]["recipes"] if r["recipe"] == "bf16-pure"][0]["points"],
      "sweep --report has the points of its directory")
check([[p["lr"] for p in r["points"]] for r in sweep["sweep"]["recipes"]] == [[0.01, 0.03]] * 2, "rates")
check(all(sum(text.startswith("*") for text in r["losses"]) == 1 for r in sweep["sweep"]["recipes"]), "one best rate")
check("sgd at 2 learning rates from 0.01 to 0.03," in sweep["setup"]["text"], "the setup of a sweep")
check("--lr 0.01,0.03" in sweep["commands"][0]["line"] and sweep["commands"][0]["line"].startswith("binade sweep "),
      "the command of a sweep")

# ---- an autopsy ----

binade("train", "--model", "linear", "--recipe", "e4m3-pure", "--steps", "30", "--autopsy", "--out", "ill",
       "--plot", "none")
row = report("ill")["recipes"][1]
check(row["autopsy"]["steps"] == 30 and row["autopsy"]["culprits"], "the autopsy is kept")
path = "ill/e4m3-pure-0/autopsy.json"
text = open(path).read()
for damaged in (text.replace('"steps": 30', '"steps": 20'), text[: len(text) // 2], '{"steps": 30, "x": </script>}',
                "[30]", ""):
    with open(path, "w") as file:
        file.write(damaged)
    check(report("ill")["recipes"][1]["autopsy"] is None, f"an autopsy that is not used: {damaged[:30]!r}")

# ---- logs of other programs ----

with open("ours.csv", "w") as file:
    file.write("step,loss\n0,3\n1,2\n2,1\n3,0.5\n")
with open("theirs.jsonl", "w") as file:
    file.write('{"step": 0, "loss": 3}\n{"step": 1, "loss": 2}\n{"step": 2, "loss": null}\n')
logs = report("ours.csv", "theirs.jsonl")
check(logs["setup"]["training"] is None and logs["formats"] == {}, "nothing is known of a log")
check(logs["recipes"][1]["runs"][0]["curves"]["loss"] == {"step": [0, 1, 2], "value": [3, 2, None]}, "NaN is null")
check(all(r["memory"] is None and r["histograms"] == [] for r in logs["recipes"]), "logs have no memory")
check([c["what"] for c in logs["commands"]] == ["compare them", "make this report"], "logs cannot be made again")

# ---- hostile names ----

names = ["<img src=x onerror=alert(1)>", "<script>alert(1)<", "--><!--", "<!--<script>", "\"'`", "&lt;b&gt;", "\\u003c",
         '\\"', "a\u2028b\u2029c", "\x01\x7f\n\t", "{}[]:,", "';alert(1);'", "%3Cscript%3E", "\u202eabc",
         "$(touch owned)",
         "`touch owned`", "--json", "\udcff\udcfe", "null", "]]>", "\u00e9\U0001f600"]
for name in names:
    raw = name.encode("utf-8", "surrogateescape")
    with open(b"./" + raw, "w") as file:
        file.write("step,loss\n0,3\n1,2\n")
    binade("report", "-o", "out.html", "--", name)
    text = inside("out.html")
    check(not any(c in text for c in (b"<", b">", b"&", "\u2028".encode(), "\u2029".encode())), f"{name!r}: escaped")
    object_ = json.loads(text)
    check(object_["recipes"][0]["runs"][0]["source"] == raw.decode("utf-8", "replace"), f"{name!r}: comes back")
    line = object_["commands"][-1]["line"]
    if "\udcff" not in name:
        check(shlex.split(line)[2:-2] == [name], f"{name!r}: one word in {line!r}")
check(not os.path.exists("owned"), "nothing ran")

strange = "</script><img src=x onerror=alert(1)>"
os.makedirs("strange/" + strange.replace("/", "_"))
with open("runs/fp32-0/config.json") as file:
    config = json.load(file)
config["recipe"] = strange + "\u2028&\x01"
with open("strange/" + strange.replace("/", "_") + "/config.json", "w") as file:
    json.dump(config, file)
shutil.copy("runs/fp32-0/metrics.jsonl", "strange/" + strange.replace("/", "_"))
binade("report", "strange", "-o", "out.html")
check(b"<" not in inside("out.html"), "a recipe's name is text")
check(json.loads(inside("out.html"))["recipes"][0]["recipe"].startswith(strange), "and comes back")

# ---- long runs ----

STEPS = 100000
with open("long.csv", "w") as file:
    file.write("step,loss\n")
    for step in range(STEPS):
        special = {54321: "99.5", 77777: "nan", 12345: "-7.25"}
        file.write(f"{step},{special.get(step, 1 + step * 7919 % 1000 / 1000)}\n")
text = binade("report", "--json", "long.csv")
long = json.loads(text)
curve = long["recipes"][0]["runs"][0]["curves"]["loss"]
at = dict(zip(curve["step"], curve["value"]))
check(at.get(54321) == 99.5 and at.get(12345) == -7.25, "extremes of a long run are kept")
check(77777 in at and at[77777] is None, "the NaN of a long run is kept")
check(curve["step"] == sorted(set(curve["step"])) and curve["step"][0] == 0 and curve["step"][-1] == STEPS - 1,
      "its ends")
check(len(text) < 100000 and long["points"]["kept"] < 5000 < STEPS <= long["points"]["measured"], "and it is short")

conclude()
