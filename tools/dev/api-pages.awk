# Reads one header of include/binade and writes its section-3 manual page; with check=1 writes what its contracts lack.
#
#     awk -v header=arith.h -v version=0.1.0 -f api-pages.awk include/binade/arith.h
#     awk -v header=arith.h -v check=1 -f api-pages.awk include/binade/arith.h
#
# A contract is a comment directly above a declaration, or above declarations without a blank line between them. Its first
# sentence is a summary. It says "Returns:", "Arguments:" where there are any, and "On failure:" where the status must be
# checked. A comment above a type belongs to the type; any other comment is text; /* ---- x ---- */ begins a section.

function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/) {
        text = "\\&" text
    }
    return text
}

function out(text) {
    if (!check) {
        page = page text "\n"
    }
}

function code(lines,    n, i, part) {
    out(".PP\n.in +4\n.nf")
    n = split(lines, part, "\n")
    for (i = 1; i <= n; i++) {
        out(roff(part[i]))
    }
    out(".fi\n.in")
}

# The lines of a comment: paragraphs, lists and tables as they stand, and what begins with Returns, Arguments, On failure.
function prose(lines,    n, i, part, line, kept, tagged) {
    n = split(lines, part, "\n")
    out(".PP")
    for (i = 1; i <= n; i++) {
        line = part[i]
        if (line ~ /^(Returns|Arguments|On failure): /) {
            out((kept ? ".fi\n" : "") ".TP\n.B " substr(line, 1, index(line, ":") - 1) "\n" roff(substr(line, index(line, ":") + 2)))
            kept = 0
            tagged = 1
        } else if (line == "") {
            out((kept ? ".fi\n" : "") ".PP")
            kept = tagged = 0
        } else if (line ~ /^ +/ && tagged) {
            sub(/^ +/, "", line)
            out(roff(line))
        } else if (line ~ /^ / && !kept) {
            out(".nf\n" roff(line))
            kept = 1
        } else if (line !~ /^ / && kept) {
            out(".fi\n" roff(line))
            kept = 0
        } else {
            out(roff(line))
        }
    }
    if (kept) {
        out(".fi")
    }
}

function name_of(declaration) {
    return match(declaration, /bnd_[a-z0-9_]+\(/) ? substr(declaration, RSTART, RLENGTH - 1) : ""
}

function lacks(what) {
    printf "%s: %s: its contract lacks \"%s\"\n", header, first, what
    wrong++
}

# One contract and its declarations.
function entry(comment, declarations,    part, n, i, title) {
    n = split(declarations, part, "\n")
    first = title = ""
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /^[a-zA-Z]/ && name_of(part[i]) != "") {
            first = first == "" ? name_of(part[i]) : first
            title = title (title == "" ? "" : ", ") name_of(part[i])
            count++
        }
    }
    names = names ", " title
    comment = "\n" comment
    if (comment !~ /\nReturns: /) {
        lacks("Returns:")
    }
    if (comment !~ /\nArguments: / && declarations !~ /\(void\)/) {
        lacks("Arguments:")
    }
    if (comment !~ /\nOn failure: / && declarations ~ /BND_CHECKED/) {
        lacks("On failure:")
    }
    out(".SS " roff(title))
    code(declarations)
    prose(substr(comment, 2))
}

# What stood together: a comment, and what is below it without a blank line.
function flush() {
    if (text != "" && text ~ /^---- /) {
        gsub(/^---- | ----$/, "", text)
        out(".SH " roff(toupper(text)))
        if (below != "" && is_call) {
            first = name_of(below)
            lacks("a comment")
        }
    } else if (is_call) {
        entry(text, below)
    } else if (below != "") {
        if (text != "") {
            prose(text)
        }
        code(below)
    } else if (text != "" && title == "") {
        title = text
    } else if (text != "") {
        prose(text)
    }
    text = below = ""
    is_call = 0
}

/^#if defined\(|^#ifdef __cplusplus|^#ifndef BINADE_/ { skipping = 1 }
skipping { skipping = $0 !~ /^#endif/ && $0 !~ /^#define BINADE_/; next }
/^#(include|endif)/ { next }

in_comment || (/^\/\*/ && below == "") {
    line = $0
    ends = line ~ /\*\/$/
    sub(/^\/\* ?/, "", line)
    sub(/^ \* ?/, "", line)
    sub(/ ?\*\/$/, "", line)
    text = text (text == "" && !in_comment ? "" : "\n") line
    in_comment = !ends
    next
}
in_body { in_body = $0 !~ /^}/; next }
/^$/ && depth == 0 { flush(); next }
{
    if ($0 ~ /^(BND_CHECKED |static inline |const |[a-z])/ && $0 !~ /^(typedef|enum|struct|extern)/ && name_of($0) != "") {
        is_call = 1
    }
    below = below (below == "" ? "" : "\n") ($0 ~ /^static inline/ ? $0 ";" : $0)
    in_body = $0 ~ /^static inline/
    depth += gsub(/{/, "{") - gsub(/}/, "}")
}
in_body { depth = 0 }

END {
    flush()
    if (check) {
        exit wrong > 0
    }
    sub(/^Layer [0-9]: /, "", title)
    about = title
    sub(/[.:].*/, "", about)
    gsub(/\n/, " ", about)
    base = header
    sub(/\.h$/, "", base)
    printf ".\\\" Made from include/binade/%s by tools/dev/make-generated; do not edit.\n", header
    printf ".TH BND_%s 3 \"%s\" \"binade %s\" \"Library Functions\"\n.SH NAME\n", toupper(base), date, version
    printf "bnd_%s%s \\- %s\n.SH SYNOPSIS\n.nf\n#include <binade.h>\n.fi\n.PP\nLink with \\-lbinade. The rules that every call follows are in <binade.h>.\n.SH DESCRIPTION\n", base, names, about
    printf "%s\n", roff(toupper(substr(title, 1, 1)) substr(title, 2))
    printf "%s.SH SEE ALSO\n.BR binade (1)", page
    split("base format codec arith bulk block matmul text", all, " ")
    for (i = 1; i <= 8; i++) {
        if (all[i] != base) {
            printf ",\n.BR bnd_%s (3)", all[i]
        }
    }
    printf "\n"
}
