"""agree_judge.py CANDIDATE SCAN.json DIFF.json: the figures of a scan are those of diff, tensor by tensor."""
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


candidate, scan, diff = sys.argv[1], read(sys.argv[2]), read(sys.argv[3])
pairs = {weight["weight"]: weight for weight in diff["list"]}
compared = bad = 0
for tensor in scan["tensors"]:
    pair = pairs.get(tensor["name"])
    if tensor["stays"] or pair is None or pair["difference"] != "values":
        continue
    loss = tensor["candidates"][0]
    compared += 1
    same = loss["squared_error"] == pair["squared_error"] and loss["squared_input"] == pair["squared_b"]
    if not same or loss["exact"] != pair["equal"] or tensor["elements"] != pair["elements"]:
        bad += 1
        print(f"{candidate}, {tensor['name']}: scan {loss}, diff {pair}")
print(f"{candidate}: {compared} tensors compared, {bad} differ")
sys.exit(bad > 0 or compared < 8)
