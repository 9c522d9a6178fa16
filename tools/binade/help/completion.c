/* Completion scripts for bash, zsh and fish: all from the rows of the commands and their options. */
#include "help.h"

#include <string.h>

/* ---- the words of a row ---- */

static const char groups[] = "all ieee ocp fnuz p3109 p3109-all mx";

static void put_each(const char *(*name)(size_t row), size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", i > 0 ? " " : "", name(i));
    }
}

static void put_formats(bool with_groups)
{
    for (size_t i = 0; i < bnd_format_count(); i++) {
        bnd_format f = *bnd_format_at(i);
        printf("%s%s", i > 0 ? " " : "", f.name);
    }
    printf("%s%s", with_groups ? " " : "", with_groups ? groups : "");
}

/* The words that call a command. */
static void put_names(const command *c, const char *between)
{
    printf("%s%s%s", c->name, c->old_name != NULL ? between : "", c->old_name != NULL ? c->old_name : "");
}

static void put_commands(void)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("%s%s", i > 0 ? " " : "", commands[i]->name);
    }
}

static void put_operands(const command *c)
{
    for (size_t i = 0; c->operand_name(i) != NULL; i++) {
        printf("%s%s", i > 0 ? " " : "", c->operand_name(i));
    }
}

/* `list`: several names, separated by commas, and so groups of formats and all recipes. */
static void put_words(const command *c, enum completes completes, bool list, const char *words)
{
    switch (completes) {
    case COMPLETES_FORMATS:
        put_formats(list);
        break;
    case COMPLETES_DIALECTS:
        put_each(bnd_dialect_name, bnd_dialect_count());
        break;
    case COMPLETES_RECIPES:
        printf("%s", list ? "all " : "");
        put_each(bnd_recipe_name, bnd_recipe_count());
        break;
    case COMPLETES_MODELS:
        put_each(bnd_model_name, bnd_model_count());
        break;
    case COMPLETES_OPTIMIZERS:
        put_each(bnd_optimizer_name, bnd_optimizer_count());
        break;
    case COMPLETES_COMMANDS:
        put_commands();
        break;
    case COMPLETES_OPERANDS:
        put_operands(c);
        break;
    case COMPLETES_WORDS:
        fputs(words, stdout);
        break;
    case COMPLETES_FILES:
    case COMPLETES_NOTHING:
        break;
    }
}

static bool is_list(const command *c, const option_row *row)
{
    return !c->one_format && strcmp(row->argument, "LIST") == 0;
}

/* What completes an option's argument: one that is called FILE or DIR is one. */
static enum completes argument_of(const option_row *row)
{
    bool file = strstr(row->argument, "FILE") != NULL || strcmp(row->argument, "DIR") == 0;
    return row->completes == COMPLETES_NOTHING && file ? COMPLETES_FILES : row->completes;
}

static bool has_words(enum completes completes)
{
    return completes != COMPLETES_NOTHING && completes != COMPLETES_FILES;
}

/* ---- bash ---- */

static void bash_names(const option_row *row, const char *between)
{
    printf("--%s", row->name);
    if (row->letter != 0) {
        printf("%s-%c", between, row->letter);
    }
}

static void bash_value(const command *c, const option_row *row)
{
    enum completes completes = argument_of(row);
    if (completes == COMPLETES_NOTHING) {
        return;
    }
    printf("        ");
    bash_names(row, " | ");
    if (completes == COMPLETES_FILES) {
        printf(") files=yes ;;\n");
    } else {
        printf(") words=\"");
        put_words(c, completes, is_list(c, row), row->words);
        printf("\" ;;\n");
    }
}

static void bash_operands(const char *variable, enum completes completes, const command *c)
{
    printf(" %s=\"", variable);
    if (completes == COMPLETES_FILES) {
        printf("@files");
    } else {
        put_words(c, completes, !c->one_format, c->words);
    }
    printf("\"");
}

static void bash_command(const command *c)
{
    printf("    ");
    put_names(c, " | ");
    printf(")\n        options=\"");
    const option_row *row;
    for (size_t i = 0; (row = option_at(c, i)) != NULL; i++) {
        printf("%s--%s", i > 0 ? " " : "", row->name);
    }
    printf("\" valued=\" ");
    for (size_t i = 0; (row = option_at(c, i)) != NULL; i++) {
        if (row->argument != NULL) {
            bash_names(row, " ");
            putchar(' ');
        }
    }
    printf("\"\n       ");
    bash_operands("first", c->first, c);
    bash_operands("others", c->others, c);
    printf("\n        case $prev in\n");
    for (size_t i = 0; (row = option_at(c, i)) != NULL; i++) {
        if (row->argument != NULL) {
            bash_value(c, row);
        }
    }
    printf("        esac ;;\n");
}

/* The previous words determine what a word is: the value of an option, an option, or the n-th operand. bash splits
 * --name=value at the sign. If there are no words to offer, bash completes file names (-o default); compopt turns
 * this off where no file is expected. */
static const char bash_head[] = "_binade()\n{\n"
                                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                                "    local words= files=no options= valued= first= others= operands=0 i\n"
                                "    if [ \"$cur\" = = ]; then\n        cur=\n"
                                "    elif [ \"$prev\" = = ]; then\n        prev=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
                                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        first=\"";
static const char bash_tail[] =
    "    esac\n    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        -*)\n"
    "            [ \"${COMP_WORDS[i + 1]}\" = = ] && ((i++))\n"
    "            [[ $valued == *\" ${COMP_WORDS[i]} \"* || ${COMP_WORDS[i]} == = ]] && ((i++)) ;;\n"
    "        *) ((operands++)) ;;\n        esac\n    done\n"
    "    [ \"$operands\" -gt 0 ] && first=$others\n"
    "    if [ -n \"$words\" ] || [ \"$files\" = yes ] || [[ $valued == *\" $prev \"* ]]; then\n        :\n"
    "    elif [[ $cur == -* ]]; then\n        words=$options\n"
    "    elif [ \"$first\" = @files ]; then\n        files=yes\n"
    "    else\n        words=${first:-$options}\n    fi\n"
    "    local list=${cur%\"${cur##*,}\"}\n"
    "    COMPREPLY=($(compgen -P \"$list\" -W \"$words\" -- \"${cur##*,}\"))\n"
    "    [ \"$files\" = yes ] || compopt +o default +o bashdefault 2>/dev/null\n"
    "    return 0\n}\n"
    "complete -o bashdefault -o default -F _binade binade\n";

static void print_bash(void)
{
    printf("# bash completion for binade; written by 'binade help --completion bash'\n%s", bash_head);
    put_commands();
    printf("\" options=\"--help --version\"\n    else\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        bash_command(commands[i]);
    }
    fputs(bash_tail, stdout);
}

/* ---- zsh ---- */

static void put_zsh_help(const char *help)
{
    for (; *help != '\0'; help++) {
        fputs(*help == '[' || *help == ']' || *help == ':' ? "\\" : *help == '\'' ? "'\\'" : "", stdout);
        putchar(*help);
    }
}

/* ":NAME:" and how to complete it. */
static void zsh_words(const command *c, const char *name, enum completes completes, bool list, const char *words)
{
    printf(":%s:", name);
    if (completes == COMPLETES_FILES) {
        printf("_files");
    } else if (has_words(completes) && list) {
        printf("_values -s , %s ", name);
        put_words(c, completes, true, words);
    } else if (has_words(completes)) {
        putchar('(');
        put_words(c, completes, false, words);
        putchar(')');
    }
}

static void zsh_option(const command *c, const option_row *row, const char *dashes, const char *name)
{
    printf(" \\\n            '%s%s[", dashes, name);
    put_zsh_help(row->help);
    putchar(']');
    if (row->argument != NULL) {
        zsh_words(c, row->argument, argument_of(row), is_list(c, row), row->words);
    }
    putchar('\'');
}

static void zsh_command(const command *c)
{
    bool list = !c->one_format && c->first == COMPLETES_FORMATS && c->others == COMPLETES_NOTHING;
    printf("        (");
    put_names(c, "|");
    printf(") _arguments");
    const option_row *row;
    for (size_t i = 0; (row = option_at(c, i)) != NULL; i++) {
        zsh_option(c, row, "--", row->name);
        if (row->letter != 0) {
            zsh_option(c, row, "-", (char[]){row->letter, '\0'});
        }
    }
    printf(" \\\n            '1");
    zsh_words(c, "operand", c->first, list, c->words);
    printf("' \\\n            '*");
    zsh_words(c, "operand", c->others, false, c->words);
    printf("' ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef binade\n# zsh completion for binade; written by 'binade help --completion zsh'\n_binade() {\n"
           "    local state\n    _arguments -C '1: :->command' '*::argument:->arguments'\n    case $state in\n"
           "    (command)\n        local -a commands=(\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("            '%s:", commands[i]->name);
        put_zsh_help(commands[i]->summary);
        printf("'\n");
    }
    printf("        )\n        _describe command commands ;;\n    (arguments)\n        case $words[1] in\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        zsh_command(commands[i]);
    }
    printf("        esac ;;\n    esac\n}\n_binade \"$@\"\n");
}

/* ---- fish ---- */

static void put_fish_help(const char *help)
{
    for (; *help != '\0'; help++) {
        fputs(*help == '\'' || *help == '\\' ? "\\" : "", stdout);
        putchar(*help);
    }
}

/* " -a '...'" of words, or of a list of them separated by commas; the end of a line. */
static void fish_words(const command *c, enum completes completes, bool list, const char *words)
{
    if (has_words(completes)) {
        printf(list ? " -a '(__fish_complete_list , \"string split \\\" \\\" \\\"" : " -a '");
        put_words(c, completes, list, words);
        printf(list ? "\\\"\")'" : "'");
    }
    putchar('\n');
}

static void fish_option(const command *c, const option_row *row)
{
    printf("complete -c binade -n '__binade_is ");
    put_names(c, "/");
    printf("' -l %s", row->name);
    if (row->letter != 0) {
        printf(" -s %c", row->letter);
    }
    printf(" -d '");
    put_fish_help(row->help);
    putchar('\'');
    if (row->argument == NULL) {
        putchar('\n');
        return;
    }
    printf(argument_of(row) == COMPLETES_FILES ? " -r -F" : " -x");
    fish_words(c, argument_of(row), is_list(c, row), row->words);
}

static void fish_operand(const command *c, const char *which, enum completes completes, bool list)
{
    if (completes != COMPLETES_NOTHING) {
        printf("complete -c binade -n '__binade_is ");
        put_names(c, "/");
        printf(" %s'%s", which, completes == COMPLETES_FILES ? " -F" : "");
        fish_words(c, completes, list, c->words);
    }
}

static void print_fish(void)
{
    printf("# fish completion for binade; written by 'binade help --completion fish'\n"
           "# __binade_is COMMAND[/OLD-NAME] [first|others]: that command, and its first operand or a later one.\n"
           "function __binade_is\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -ge 2; and contains -- \"$words[2]\" (string split / $argv[1]); or return 1\n"
           "    test (count $argv) -ge 2; or return 0\n"
           "    set -l before (count $words)\n"
           "    test $argv[2] = first; and test $before -eq 2; and return 0\n"
           "    test $argv[2] = others; and test $before -gt 2\nend\n"
           "complete -c binade -f\n"
           "complete -c binade -n 'test (count (commandline -opc)) -eq 1' -l help -d 'the list of commands'\n"
           "complete -c binade -n 'test (count (commandline -opc)) -eq 1' -l version -d 'the version'\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        const command *c = commands[i];
        printf("complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a %s -d '", c->name);
        put_fish_help(c->summary);
        printf("'\n");
        const option_row *row;
        for (size_t o = 0; (row = option_at(c, o)) != NULL; o++) {
            fish_option(c, row);
        }
        fish_operand(c, "first", c->first,
                     !c->one_format && c->first == COMPLETES_FORMATS && c->others == COMPLETES_NOTHING);
        fish_operand(c, "others", c->others, false);
    }
}

int print_completion(const command *self, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } rows[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(shell, rows[i].shell) == 0) {
            rows[i].print();
            return FINE;
        }
    }
    return complain(self, "unknown shell '%s' (available: bash, zsh, fish)", shell);
}
