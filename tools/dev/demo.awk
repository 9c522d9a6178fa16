# The table that tools/demo closes with, and what is to be seen in it: of two tables of `binade train --csv`, the first of
# least squares, the second of the transformer. The numbers are those of the tables; only the words are here.

FNR == 1 {
    file++
    for (i = 1; i <= NF; i++) {
        column[file, $i] = i
    }
    next
}

function cell(name) {
    return $column[file, name]
}

{
    recipe = cell("recipe")
    if (file == 1) {
        order[++count] = recipe
    }
    verdict[file, recipe] = cell("verdict")
    loss[file, recipe] = cell("final_loss")
    left[file, recipe] = cell("left_at")
    flushed[file, recipe] = cell("flushed_percent")
    cancelled[file, recipe] = cell("cancelled_percent")
    peak[recipe] = cell("peak_bytes")
    times[recipe] = cell("memory_saved_times")
}

# A diverged run's loss is NaN, or at chance level.
function loss_of(which, recipe) {
    return verdict[which, recipe] == "diverged" || loss[which, recipe] == "" ? "-" : sprintf(which == 1 ? "%.1e" : "%.4f", loss[which, recipe])
}

function listed(list, recipe) {
    return list == "" ? recipe : list ", " recipe
}

# Prints a text, broken into lines of at most 80.
function fill(text, words, n, i, line) {
    n = split(text, words, " ")
    line = words[1]
    for (i = 2; i <= n; i++) {
        if (length(line) + 1 + length(words[i]) > 80) {
            print line
            line = words[i]
        } else {
            line = line " " words[i]
        }
    }
    print line
}

function saved(x) {
    return x == "" ? "" : x >= 0.995 ? sprintf("%.2fx", x) : sprintf("+%d %%", 100 / x - 99.5)
}

function print_table(i, recipe) {
    printf "%-12s  %-22s  %-22s  %s\n", "", "transformer", "least squares", "transformer's"
    printf "%-12s  %8s  %-12s  %8s  %-12s  %9s  %s\n", "recipe", "loss", "verdict", "loss", "verdict", "memory", "saved"
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        printf "%-12s  %8s  %-12s  %8s  %-12s  %5.2f MiB  %5s\n", recipe, loss_of(2, recipe), verdict[2, recipe],
            loss_of(1, recipe), verdict[1, recipe], peak[recipe] / 1048576,
            saved(times[recipe])
    }
}

function say_what_diverged(i, recipe, text) {
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        if (verdict[2, recipe] == "diverged") {
            text = listed(text, recipe " (from step " left[2, recipe] " on)")
        }
    }
    if (text == "") {
        fill("Diverged: none of the transformers.")
        return
    }
    if (verdict[2, "fp16-pure"] == "diverged") {
        text = text ". In fp16 the 1e-8 that Adam adds to what it divides by is zero, as the first example shows, and" \
            " so are squares of small gradients: it divides by zero"
    }
    fill("Diverged: " text ".")
}

function say_what_matched(i, recipe, same, worse) {
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        if (verdict[2, recipe] == "match") {
            same = listed(same, recipe)
        }
        if (verdict[1, recipe] == "degraded" || verdict[1, recipe] == "diverged") {
            worse = listed(worse, recipe)
        }
    }
    fill("Matched: the transformer ends where fp32's does with " (same == "" ? "none" : same) "; least squares" \
        " wants more digits than a short format has, and stays above fp32's loss with " \
        (worse == "" ? "none" : worse) ".")
}

function say_what_was_saved(i, recipe, best, none) {
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        if (times[recipe] == "" || verdict[2, recipe] != "match") {
            continue
        }
        if (best == "" || times[recipe] > times[best]) {
            best = recipe
        }
        if (times[recipe] < 1.005) {
            none = listed(none, recipe)
        }
    }
    if (best != "") {
        fill(sprintf("Saved: of those that matched, %s needs the least memory, %.1f MiB instead of %.1f%s.", best,
            peak[best] / 1048576, peak["fp32"] / 1048576,
            none == "" ? "" : "; " none " round operands of matrix products only, and save nothing"))
    }
}

END {
    print_table()
    print ""
    say_what_diverged()
    say_what_matched()
    say_what_was_saved()
}
