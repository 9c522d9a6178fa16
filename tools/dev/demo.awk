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
    outside[file, recipe] = cell("outside_from")
    memory[recipe] = cell("memory_bytes")
    times[recipe] = cell("memory_saved_times")
}

# Where every run failed there is no loss.
function loss_of(which, recipe) {
    return verdict[which, recipe] == "failed" || loss[which, recipe] == "" ? "-" : sprintf(which == 1 ? "%.1e" : "%.4f", loss[which, recipe])
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
    printf "%-12s  %-23s  %-23s  %s\n", "", "transformer", "least squares", "transformer's"
    printf "%-12s  %8s  %-13s  %8s  %-13s  %9s  %s\n", "recipe", "loss", "verdict", "loss", "verdict", "memory", "saved"
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        printf "%-12s  %8s  %-13s  %8s  %-13s  %5.2f MiB  %5s\n", recipe, loss_of(2, recipe), verdict[2, recipe],
            loss_of(1, recipe), verdict[1, recipe], memory[recipe] / 1048576,
            saved(times[recipe])
    }
}

function say_what_failed(i, recipe, text) {
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        if (verdict[2, recipe] == "failed") {
            text = listed(text, recipe " (outside fp32's range from step " outside[2, recipe] " on)")
        }
    }
    if (text == "") {
        fill("Failed: none of the transformers.")
        return
    }
    if (verdict[2, "fp16-pure"] == "failed") {
        text = text ". Adam divides by sqrt(v) + 1e-8. In fp16 both can be zero: 1e-8, as the first example shows, and the" \
            " squares of small gradients in v"
    }
    fill("Failed: " text ".")
}

function say_what_matched(i, recipe, same, worse) {
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        if (verdict[2, recipe] == "no difference") {
            same = listed(same, recipe)
        }
        if (verdict[1, recipe] == "worse" || verdict[1, recipe] == "failed") {
            worse = listed(worse, recipe)
        }
    }
    fill("Transformer: no difference from fp32 with " (same == "" ? "none" : same) ". Least squares needs more digits" \
        " than a short format has. Its loss is worse than fp32's with " (worse == "" ? "none" : worse) ".")
}

function say_what_was_saved(i, recipe, best, none) {
    for (i = 1; i <= count; i++) {
        recipe = order[i]
        if (times[recipe] == "" || verdict[2, recipe] != "no difference") {
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
        fill(sprintf("Memory: of those, %s needs the least, %.1f MiB instead of %.1f%s.", best,
            memory[best] / 1048576, memory["fp32"] / 1048576,
            none == "" ? "" : "; " none " save nothing"))
    }
}

END {
    print_table()
    print ""
    say_what_failed()
    say_what_matched()
    say_what_was_saved()
}
