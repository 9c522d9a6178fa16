# Makes C of the texts of man pages: an array of pages and texts. A paragraph becomes a line; from the first .SH on lines stay.
BEGIN {
    print "/* The texts in doc/man, made into C by tools/binade/help/texts.awk. */"
    print "#include \"help/help.h\"\n"
    print "const struct man_text man_texts[] = {"
}
function literal(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    printf "     \"%s\"\n", text
}
function close_page() {
    if (page != "")
        print "    },"
}
FNR == 1 {
    close_page()
    page = FILENAME
    sub(/.*\//, "", page)
    sub(/\.text$/, "", page)
    printf "    {\"%s\",\n", page
    roff = 0
    begun = 0
}
/^\.SH / {
    roff = 1
}
roff {
    literal($0)
    print "     \"\\n\""
    next
}
/^$/ {
    print "     \"\\n\\n\""
    begun = 0
    next
}
{
    literal((begun ? " " : "") $0)
    begun = 1
}
END {
    close_page()
    print "    {NULL, NULL},"
    print "};"
}
