"""Steps of the simulator's transformer beside PyTorch: train_beside_torch.py BINADE [--cpu] [THREADS | WIDTHxDEPTH]...

Every number of threads (1 and 2) and every size (those of SIZES) is measured, or those that are given. --cpu: processor
time instead of time, which says little of two threads, but on a busy machine more of one.

For each size and number of threads, `binade train` in fp32 with AdamW, with the statistics of casts that it counts by
default and without, beside PyTorch's model of the same shapes. Both take turns of a second: a run is stopped and goes on
(SIGSTOP, SIGCONT), so that both see the same clock and the same neighbours. Tokens per second come from the difference
of two runs of different lengths, so that starting a process costs none of them anything. Printed is the median of the
rounds, and of the ratios of a round."""

import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import time

import openblas_core

BATCH, CONTEXT, HEADS, VOCABULARY = 16, 64, 4, 65
SIZES = ((128, 4), (256, 4), (512, 4), (512, 8))  # width and depth: 0.8, 3.2, 12.7 and 25.3 million parameters
COUNTED = ("roles", "none")  # --statistics
ROUNDS = 3
TURN, LENGTH = 1.0, 6.0  # seconds of a turn, and of PyTorch's steps whose number a run makes


def torch_steps(width, depth, threads, clock):
    """Answers every number of steps on standard input with the seconds that they took."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    mask = torch.tril(torch.ones(CONTEXT, CONTEXT)) == 0
    shapes = [(VOCABULARY, width), (CONTEXT, width)]
    for _ in range(depth):
        shapes += [(width,), (width,), (3 * width, width), (3 * width,), (width, width), (width,)]
        shapes += [(width,), (width,), (4 * width, width), (4 * width,), (width, 4 * width), (width,)]
    shapes += [(width,), (width,), (VOCABULARY, width)]
    p = [(torch.randn(s) * 0.02 + (len(s) == 1)).requires_grad_(True) for s in shapes]
    x, targets = torch.randint(VOCABULARY, (BATCH, CONTEXT)), torch.randint(VOCABULARY, (BATCH * CONTEXT,))

    def block(x, p):
        h = F.linear(F.layer_norm(x, (width,), p[0], p[1]), p[2], p[3])
        q, k, v = (t.view(BATCH, CONTEXT, HEADS, -1).transpose(1, 2) for t in h.split(width, dim=2))
        scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(width // HEADS))
        y = F.softmax(scores.masked_fill(mask, -math.inf), dim=-1) @ v
        x = x + F.linear(y.transpose(1, 2).reshape(BATCH, CONTEXT, width), p[4], p[5])
        h = F.gelu(F.linear(F.layer_norm(x, (width,), p[6], p[7]), p[8], p[9]))
        return x + F.linear(h, p[10], p[11])

    def loss():
        h = F.embedding(x, p[0]) + p[1]
        for i in range(depth):
            h = block(h, p[2 + 12 * i : 14 + 12 * i])
        h = F.linear(F.layer_norm(h, (width,), p[-3], p[-2]), p[-1])
        return F.cross_entropy(h.view(-1, VOCABULARY), targets)

    optimizer = torch.optim.AdamW(p, lr=1e-4)
    for line in sys.stdin:
        begun = clock()
        for _ in range(int(line)):
            optimizer.zero_grad(set_to_none=True)
            loss().backward()
            optimizer.step()
        print(clock() - begun, flush=True)


def children_seconds():
    """Processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def binade_seconds(command, clock, torch):
    """Seconds of a run, which stops after each turn for one of PyTorch."""
    seconds, begun = 0.0, clock()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        try:
            while True:
                try:
                    if run.wait(TURN) != 0:
                        raise subprocess.CalledProcessError(run.returncode, command)
                    return seconds + clock() - begun
                except subprocess.TimeoutExpired:
                    run.send_signal(signal.SIGSTOP)
                    seconds += clock() - begun
                    torch()
                    begun = clock()
                    run.send_signal(signal.SIGCONT)
        finally:
            run.kill()  # a stopped process would stay; one that has ended is left alone


def measure(binade, width, depth, threads, cpu):
    command = [sys.executable, __file__, "--torch-cpu" if cpu else "--torch", str(width), str(depth), str(threads)]
    clock = children_seconds if cpu else time.perf_counter
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    torch = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def torch_seconds(steps):
        torch.stdin.write(f"{steps}\n")
        torch.stdin.flush()
        return float(torch.stdout.readline())

    few = 2
    torch_seconds(few)
    per_step = torch_seconds(few) / few
    per_turn, steps = max(1, round(TURN / per_step)), max(8, round(LENGTH / per_step))
    own, theirs = {counted: [] for counted in COUNTED}, {counted: [] for counted in COUNTED}

    def own_seconds(counted, steps, turns):
        run = f"{binade} train --model transformer --recipe fp32 --optimizer adamw --batch {BATCH}"
        run += f" --context {CONTEXT} --width {width} --depth {depth} --heads {HEADS}"
        run += f" --vocabulary {VOCABULARY} --steps {steps} -j {threads} --statistics {counted}"
        return binade_seconds(run.split(), clock, lambda: turns.append(torch_seconds(per_turn) / per_turn))

    for _ in range(ROUNDS):
        for counted in COUNTED:
            turns = []
            short = own_seconds(counted, few, turns)
            own[counted].append((own_seconds(counted, few + steps, turns) - short) / steps)
            theirs[counted].append(statistics.mean(turns))
    torch.stdin.close()
    torch.wait()
    count = 12 * width * width * depth + 13 * width * depth + (2 * VOCABULARY + CONTEXT + 2) * width
    every = [seconds for rounds in theirs.values() for seconds in rounds]
    cells = [f"{count / 1e6:.1f}", str(threads), f"{BATCH * CONTEXT / statistics.median(every):.0f}"]
    for counted, seconds in own.items():
        ratio = statistics.median(b / a for a, b in zip(seconds, theirs[counted]))
        cells += [f"{BATCH * CONTEXT / statistics.median(seconds):.0f}", f"{ratio:.2f}"]
    print("|", " | ".join(cells), "|", flush=True)


def main():
    if sys.argv[1] in ("--torch", "--torch-cpu"):
        clock = time.process_time if sys.argv[1] == "--torch-cpu" else time.perf_counter
        torch_steps(*map(int, sys.argv[2:]), clock)
        return
    given = sys.argv[2:]
    sizes = [tuple(map(int, g.split("x"))) for g in given if "x" in g] or SIZES
    numbers = [int(g) for g in given if g.isdigit()] or (1, 2)
    print(f"OpenBLAS's kernels for PyTorch: {openblas_core.choose() or 'unknown'}\n")
    print("| million parameters | threads | PyTorch | with statistics | ratio | without | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for threads in numbers:
        for width, depth in sizes:
            measure(sys.argv[1], width, depth, threads, "--cpu" in given)


if __name__ == "__main__":
    main()
