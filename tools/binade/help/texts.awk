# Makes C of the texts of man pages: an array of pages and texts. A piece becomes a line: a paragraph or "- term: text" with
# the lines that continue it, a heading ("# " or "## "), a line that begins with four blanks. An entry without a term, or
# with a sentence before its first colon, is a fault: a page would show its "- ", or the sentence as a term.
BEGIN {
    print "/* The texts in doc/man, made into C by tools/binade/help/texts.awk. */"
    print "#include \"help/help.h\"\n"
    print "const struct man_text man_texts[] = {"
}
function end_piece() {
    if (piece == "")
        return
    if (piece ~ /^- / && (!index(piece, ": ") || substr(piece, 1, index(piece, ": ")) ~ /[.;] /)) {
        printf "%s: an entry must be \"- term: text\", not \"%s\"\n", file, substr(piece, 1, 60) > "/dev/stderr"
        faulty = 1
    }
    gsub(/\\/, "\\\\", piece)
    gsub(/"/, "\\\"", piece)
    printf "     \"%s\\n\"\n", piece
    piece = ""
}
function close_page() {
    end_piece()
    if (page != "")
        print "    },"
}
FNR == 1 {
    close_page()
    page = file = FILENAME
    sub(/.*\//, "", page)
    sub(/\.text$/, "", page)
    printf "    {\"%s\",\n", page
}
/^$/ {
    end_piece()
    next
}
/^(#|- |    )/ {
    end_piece()
    piece = $0
    if ($0 !~ /^- /)
        end_piece()
    next
}
{
    sub(/^ +/, "")
    piece = piece (piece == "" ? "" : " ") $0
}
END {
    close_page()
    print "    {NULL, NULL},"
    print "};"
    exit faulty
}
