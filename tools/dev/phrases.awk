# Looks for the phrases of tools/dev/phrases.tsv in text that users read, and measures sentences.
#     awk -f phrases.awk MODE=refuse phrases.tsv FILE...     prints FILE:LINE: phrase -> what to say
#     awk -f phrases.awk MODE=measure FILE...                prints FILE, sentences, words, mean and longest, tab-separated
# Of a page (.md) it reads all but code blocks, code spans, tables' rules and links' targets; of C its string literals; of
# an installed header its comments as well. A paragraph is looked at as one line, so that a phrase may be broken by a line's end.
BEGIN { FS = "\t" }

function note(text) { # a piece of text of this paragraph
    if (piece == "") {
        begun = FNR
    }
    piece = piece " " text
}

function plain(text) { # lower-case words with one space between them and at both ends
    text = tolower(text)
    gsub(/`[^`]*`/, " span ", text)
    gsub(/[|.;:!?()]/, " stop ", text) # no phrase goes over these
    gsub(/[^a-z0-9]+/, " ", text)
    return " " text " "
}

function flush_piece(    text, i) {
    if (piece == "") {
        return
    }
    if (MODE == "refuse") {
        text = plain(piece)
        gsub(/  +/, " ", text)
        for (i = 1; i <= phrases; i++) {
            if ((where[i] == "all" || for_users) && match(text, pattern[i])) {
                printf "%s:%d: \"%s\": say %s\n", file, begun, substr(text, RSTART + 1, RLENGTH - 2), instead[i]
            }
        }
    } else {
        measure(piece)
    }
    piece = ""
}

# A sentence ends at . ! or ? before a space and a capital or a code span, and with its paragraph or list item.
function measure(text,    parts, n, i, words) {
    gsub(/`[^`]*`/, "X", text)
    gsub(/e\.g\.|i\.e\.|etc\./, "eg", text)
    gsub(/[.!?][)"*]* +[("*]*[A-Z]/, "\001&", text) # a mark where the sentence ends, before its stop
    n = split(text, parts, /\001/)
    for (i = 1; i <= n; i++) {
        words = count_words(parts[i])
        if (words > 0) {
            sentences++
            total += words
            if (words > longest) {
                longest = words
                longest_at = begun
            }
        }
    }
}

function count_words(text,    list, n, i, words) {
    n = split(text, list, /[ \t]+/)
    for (i = 1; i <= n; i++) {
        words += list[i] ~ /[A-Za-z0-9]/
    }
    return words
}

function begin_file() {
    file = FILENAME
    page = file ~ /\.(md|text)$/
    header = file ~ /^(\.\/)?include\//
    for_users = page && file !~ /doc\/dev\// && file !~ /(CHANGELOG|CONTRIBUTING|ARCHITECTURE)/ && file !~ /^(\.\/)?src\//
    code = comment = 0
    piece = ""
}

function end_file() {
    flush_piece()
    if (MODE == "measure" && sentences > 0) {
        printf "%s\t%d\t%d\t%.1f\t%d\t%d\n", file, sentences, total, total / sentences, longest, longest_at
    }
    sentences = total = longest = 0
}

MODE == "refuse" && FILENAME ~ /phrases\.tsv$/ {
    if ($0 !~ /^#/ && NF == 3) {
        phrases++
        where[phrases] = $1
        pattern[phrases] = " " $2 " "
        gsub(/\)\? $/, ")? ?", pattern[phrases])
        instead[phrases] = $3
    }
    next
}

FNR == 1 {
    if (file != "") {
        end_file()
    }
    begin_file()
}

page {
    if (/^ *```/) {
        flush_piece()
        code = !code
        next
    }
    if (code || /^<!--/ || /^    [^ ]/ && piece == "" || /^#/ && MODE == "measure") {
        next
    }
    if (/^[ \t]*$/ || /^\|/ || /^[-*] / || /^[0-9]+\. / || /^#/ || /^ *[-*] /) {
        flush_piece()
    }
    if (/^\|/ && (MODE == "measure" || file ~ /CHANGELOG/)) { # a table has no sentences; that of old words has these
        next
    }
    text = $0
    gsub(/\]\([^() ]*\)/, "", text)
    gsub(/\[/, "", text)
    sub(/^ *([-*]|[0-9]+\.) /, "", text)
    note(text)
    next
}

{ # C: string literals, joined where one follows the other; comments of installed headers
    text = $0
    kept = ""
    if (header) {
        if (text ~ /\/\*/) {
            comment = 1
        }
        if (comment) {
            inner = text
            if (inner ~ /\*\//) {
                comment = 0
            }
            sub(/^.*\/\*+/, "", inner)
            sub(/\*\/.*$/, "", inner)
            sub(/^ *\* ?/, "", inner)
            kept = inner
        }
        if (kept ~ /^ *$/) {
            flush_piece()
        } else {
            note(kept)
        }
        if (!comment) {
            flush_piece()
        }
        next
    }
    if (text ~ /^ *#/ || text ~ /^ *(\/\*|\*|\/\/)/) {
        next
    }
    strings = 0
    while (match(text, /"([^"\\]|\\.)*"/)) {
        kept = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        gsub(/\\n|\\t/, " ", kept)
        if (kept ~ / /) {
            note(kept)
            strings++
        }
    }
    if (strings == 0 || $0 !~ /"[ \t]*$/) {
        flush_piece()
    }
}

END { end_file() }
