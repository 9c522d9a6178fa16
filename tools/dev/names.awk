# The names that C files define or declare outside of functions, one a line: kind, name, file. The kinds: function, variable,
# type, tag, constant (of an enum), macro. Written for this tree's C, with or without the preprocessor's work done:
# NAME(x) counts as x_32 and x_64, which is what the templates make of it.
function flush_file() {
    if (file != "")
        declarations(text)
    text = ""
    file = FILENAME
    continued = comment = 0
}
function say(kind, name) {
    if (name ~ /^[A-Za-z_][A-Za-z0-9_]*$/ && !((kind, name, file) in said)) {
        said[kind, name, file] = 1
        print kind, name, file
    }
}
function last_word(s) {
    gsub(/\[[^\]]*\]/, "", s)
    sub(/[^A-Za-z0-9_]+$/, "", s)
    sub(/^.*[^A-Za-z0-9_]/, "", s)
    return s
}
function say_both(kind, name) { # x@ stands for NAME(x)
    if (sub(/_AT_$/, "", name)) {
        say(kind, name "_32")
        say(kind, name "_64")
    } else {
        say(kind, name)
    }
}
function constants(body,   n, i, part) {
    n = split(body, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/=.*/, "", part[i])
        say_both("constant", last_word(part[i]))
    }
}
# A declaration without its last ; in which {} stands for what was in braces.
function declaration(s,   head, n, i, part, before, name) {
    while (gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, " ", s)) {
    }
    gsub(/__extension__|_Alignas *\([^()]*\)/, " ", s)
    if (s ~ /^[ \n]*_Static_assert/ || s ~ /^[ \n]*extern *"/)
        return
    head = s
    while (match(head, /(struct|union|enum)[ \n]+[A-Za-z0-9_]+[ \n]*\{\}/)) {
        part[1] = substr(head, RSTART, RLENGTH)
        sub(/[ \n]*\{\}$/, "", part[1])
        say_both("tag", last_word(part[1]))
        head = substr(head, RSTART + RLENGTH)
    }
    gsub(/\{\}/, " ", s)
    if (s ~ /^[ \n]*typedef/) {
        if (match(s, /\( *\* *[A-Za-z0-9_]+ *\)/))
            say_both("type", last_word(substr(s, RSTART, RLENGTH - 1)))
        else {
            sub(/\(.*/, "", s)
            say_both("type", last_word(s))
        }
        return
    }
    before = s
    sub(/=.*/, "", before)
    if (match(before, /[A-Za-z0-9_]+[ \n]*\(/)) {
        name = last_word(substr(before, RSTART, RLENGTH - 1))
        if (substr(before, RSTART + RLENGTH) ~ /^[A-Za-z0-9_]+\)\(/) # a macro makes the name
            return
        if (match(before, /\( *\*[ A-Za-z]*[A-Za-z0-9_]+(\[[^\]]*\])? *\)/) && RSTART == index(before, "(")) # of a function
            say_both("variable", last_word(substr(before, RSTART, RLENGTH - 1)))
        else
            say_both("function", name)
        return
    }
    while (gsub(/\([^()]*\)/, " ", s)) {
    }
    if (s !~ /[A-Za-z0-9_][ \n*]+[A-Za-z0-9_]/ || s ~ /^[ \n]*(struct|union|enum)[ \n]+[A-Za-z0-9_]+[ \n]*$/)
        return
    n = split(s, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/=.*/, "", part[i])
        say_both("variable", last_word(part[i]))
    }
}
function declarations(s,   depth, c, piece, decl, body, is_enum) {
    depth = 0
    decl = ""
    while (match(s, /[{};]/)) {
        piece = substr(s, 1, RSTART - 1)
        c = substr(s, RSTART, 1)
        s = substr(s, RSTART + 1)
        if (depth == 0)
            decl = decl piece
        else if (is_enum)
            body = body piece
        if (c == "{") {
            if (depth == 0) {
                is_enum = decl ~ /(^|[^A-Za-z0-9_])enum[ \n]*[A-Za-z0-9_]*[ \n]*$/
                body = ""
            }
            depth++
        } else if (c == "}") {
            depth--
            if (depth == 0) {
                if (is_enum)
                    constants(body)
                if (decl ~ /\)[ \n]*$/ && decl !~ /=/) {
                    declaration(decl)
                    decl = ""
                } else if (decl ~ /extern *$/) {
                    decl = ""
                } else {
                    decl = decl "{}"
                }
                is_enum = 0
            }
        } else if (depth == 0) {
            declaration(decl)
            decl = ""
        }
    }
}
FNR == 1 { flush_file() }
{
    line = $0
    if (comment) {
        if (!sub(/^.*\*\//, "", line))
            next
        comment = 0
    }
    gsub(/\\./, "", line)
    gsub(/'[^']'/, "0", line)
    gsub(/"[^"]*"/, "", line)
    while (match(line, /\/\*/)) {
        rest = substr(line, RSTART + 2)
        line = substr(line, 1, RSTART - 1)
        if (match(rest, /\*\//))
            line = line " " substr(rest, RSTART + 2)
        else
            comment = 1
    }
    if (continued || line ~ /^[ \t]*#/) {
        if (!continued && line ~ /^[ \t]*#[ \t]*define[ \t]/) {
            name = line
            sub(/^[ \t]*#[ \t]*define[ \t]+/, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
            macros[name, file] = 1
        } else if (!continued && line ~ /^[ \t]*#[ \t]*undef[ \t]/) {
            name = line
            sub(/^[ \t]*#[ \t]*undef[ \t]+/, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
            undone[name, file] = 1
        }
        if (line ~ /NAME\(/)
            twofold[name] = 1
        for (macro in twofold) # it uses one that does
            if (index(line, " " macro "("))
                twofold[name] = 1
        rest = line
        while (match(rest, /[A-Za-z0-9]_##[a-z]+/)) { # x_##name, in the definition of a macro
            prefix = substr(rest, 1, RSTART + 1)
            rest = substr(rest, RSTART + RLENGTH)
            if (rest !~ /^##/)
                pasted[name] = pasted[name] " " last_word(prefix)
        }
        continued = $0 ~ /\\$/
        next
    }
    while (match(line, /NAME\([A-Za-z0-9_]+\)/))
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + 5, RLENGTH - 6) "_AT_" substr(line, RSTART + RLENGTH)
    if (match(line, /^[A-Z_]+\([a-z0-9_]+/)) { # a macro that makes functions, or variables
        split(substr(line, 1, RLENGTH), part, "(")
        count = split(pasted[part[1]], made, " ")
        for (i = 1; i <= count; i++)
            say_both("function", made[i] part[2] (part[1] in twofold ? "_AT_" : ""))
    }
    if (line ~ /^[A-Z_]+\(.*\);?$/)
        next
    text = text line "\n"
}
END {
    flush_file()
    for (key in macros) {
        if (!(key in undone)) {
            split(key, part, SUBSEP)
            print "macro", part[1], part[2]
        }
    }
}
