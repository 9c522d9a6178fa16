#!/usr/bin/env python3
"""Runs the notebooks of doc/notebooks as scripts, and compares what they print with the outputs that they hold.

notebooks.py [--update] [FILE...]: --update writes the outputs into the files. An output of a cell with the tag "varies"
is not compared, since it depends on the machine or on versions; the cell must still run.
"""
import ast
import contextlib
import difflib
import glob
import io
import json
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run_cell(source, names):
    """Runs a cell as a notebook does: what it prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if last is not None and source.rstrip().endswith(";"):
        tree.body.append(last)
        last = None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return printed.getvalue(), value


def outputs_of(printed, value, count):
    """The outputs of a cell in the format of notebooks: text, and HTML where the value has it."""
    outputs = []
    if printed:
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(True)
        outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return outputs


def text_of(outputs):
    """The outputs as the lines that a reader sees."""
    lines = []
    for output in outputs:
        text = output.get("text") or output["data"]["text/plain"]
        lines += "".join(text).splitlines()
    return lines


def run(path, update=False):
    """Runs a notebook; a list of what is wrong."""
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names, wrong, count = {"__name__": "__main__"}, [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        try:
            printed, value = run_cell("".join(cell["source"]), names)
        except Exception as why:  # a cell that fails fails the notebook
            wrong.append(f"{os.path.basename(path)}, cell {count}: {type(why).__name__}: {why}")
            break
        outputs = outputs_of(printed, value, count)
        varies = "varies" in cell["metadata"].get("tags", [])
        if update:
            cell["outputs"], cell["execution_count"] = [] if varies else outputs, None if varies else count
        elif not varies and text_of(outputs) != text_of(cell["outputs"]):
            differ = difflib.unified_diff(text_of(cell["outputs"]), text_of(outputs), "held", "printed", lineterm="")
            wrong.append(f"{os.path.basename(path)}, cell {count}:\n" + "\n".join(differ))
    if update and not wrong:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False)
            file.write("\n")
    return wrong


def main(arguments):
    update = "--update" in arguments
    paths = [a for a in arguments if a != "--update"] or sorted(glob.glob(os.path.join(TOP, "doc/notebooks/*.ipynb")))
    wrong = [line for path in paths for line in run(path, update)]
    print("\n".join(wrong) or f"{len(paths)} notebooks: every cell runs")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
