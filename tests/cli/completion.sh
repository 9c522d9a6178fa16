#!/bin/sh
# What the completion scripts offer, by the shells' own machinery. A shell that is not there is skipped.
# shellcheck disable=SC2016  # the texts are for other shells
scripts=$(cd "$(dirname "$0")/../.." && pwd)/doc/completion
. "$(dirname "$0")/checks.sh"
mkdir inner
: >hugo.txt
: >other.npy

# ---- bash: its function is called as readline calls it ----

# offered WORD...: what is offered for the last of these words, on a line
offered() {
    bash --norc -c '
        . "$1"/binade.bash
        shift
        COMP_WORDS=(binade "$@") COMP_CWORD=$#
        _binade binade "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[*]}"' bash "$scripts" "$@"
}
offers() { # offers WORD WORD...: it is among those for the last word
    wanted=$1
    shift
    case " $(offered "$@") " in *" $wanted "*) ;; *) echo "  $(offered "$@")"; false ;; esac
}
lacks() { ! offers "$@" >/dev/null; }

if command -v bash >/dev/null; then
    check "bash: commands" offers show ''
    check "bash: a command's beginning" equal "$(offered tr)" train
    check "bash: questions of cost" offers fit cost ''
    check "bash: questions of cost, and no options" lacks --gpu cost ''
    check "bash: options after a dash" offers --gpu cost --g
    check "bash: formats of table" equal "$(offered table e2m)" "e2m3 e2m1"
    check "bash: table takes no groups" lacks ieee table ''
    check "bash: calc has formats" offers fp16 calc ''
    check "bash: formats takes groups" offers ieee formats ''
    check "bash: formats in a list" equal "$(offered show -f fp16,bf)" fp16,bf16
    check "bash: formats after =" equal "$(offered show --format = bf)" bf16
    check "bash: nothing yet after =" offers bf16 show --format =
    check "bash: groups in a list" offers ieee show -f ''
    check "bash: no groups where one format is meant" lacks ieee cast --from ''
    check "bash: recipes" offers bf16-amp train --recipe bf16
    check "bash: recipes in a list" offers fp32,bf16-amp train --recipe fp32,bf16
    check "bash: files of cast are left to bash" equal "$(offered cast '')" ""
    check "bash: files of compare are left to bash" equal "$(offered compare run)" ""
    check "bash: files of an option are left to bash" equal "$(offered train --data hu)" ""
    check "bash: directories of an option are left to bash" equal "$(offered train --out in)" ""
    check "bash: no words where a number is meant" equal "$(offered train --steps '')" ""
    check "bash: the options of a command without operands" offers --recipe train ''
    check "bash: gen and check, then files" equal "$(offered vectors '') $(offered vectors check '')" "gen check "
    check "bash: the old name of a command completes as the new one" equal "$(offered prove --ch)" \
        "$(offered verify --ch)"
    check "bash: files of a picture are left to bash" equal "$(offered range --svg hu)" ""
    check "bash: commands after help" offers range help ra
    check "bash: dialects" equal "$(offered show --dialect onnx-n)" onnx-nosaturate
    check "bash: formats of calc in a list" equal "$(offered calc fp16,bf)" fp16,bf16
    check "bash: table has no list of formats" lacks --format table --
    check "bash: an option's value is not an operand" offers fit cost --gpus 8 ''
    check "bash: is told to complete files itself" grep -q '^complete -o bashdefault -o default -F' \
        "$scripts/binade.bash"
else
    skip "bash"
fi

# ---- fish: complete -C says what is offered for a line ----

fish_offers() { # fish_offers WORD LINE
    HOME=$scratch XDG_CONFIG_HOME=$scratch fish --no-config -c 'source $argv[1]/binade.fish; complete -C $argv[2]' \
        "$scripts" "$2" 2>/dev/null | cut -f1 | grep -qx -e "$1"
}
fish_lacks() { ! fish_offers "$@"; }

if command -v fish >/dev/null; then
    check "fish: commands" fish_offers show "binade "
    check "fish: questions of cost" fish_offers fit "binade cost "
    check "fish: no files beside them" fish_lacks hugo.txt "binade cost "
    check "fish: no groups for table" fish_lacks ieee "binade table "
    check "fish: formats of table" fish_offers e2m1 "binade table "
    check "fish: formats in a list" fish_offers fp16,bf16 "binade show -f fp16,b"
    check "fish: recipes" fish_offers bf16-amp "binade train --recipe b"
    check "fish: options" fish_offers --gpu "binade cost --g"
    check "fish: files of cast" fish_offers other.npy "binade cast o"
    check "fish: files of an option" fish_offers hugo.txt "binade train --data h"
    check "fish: files of vectors check" fish_offers hugo.txt "binade vectors check h"
    check "fish: files of a picture" fish_offers hugo.txt "binade range --svg h"
    check "fish: commands after help" fish_offers range "binade help r"
    check "fish: dialects" fish_offers onnx-nosaturate "binade show --dialect onnx-n"
    check "fish: words of an option" fish_offers always "binade show --color "
else
    skip "fish"
fi

# ---- zsh: a terminal of its own, and what it lists there after a tabulator ----

zsh_offers() { # zsh_offers WORD LINE
    SCRIPTS=$scripts LINE=$2 timeout 20 zsh -f -c '
        zmodload zsh/zpty || exit 99
        zpty shell zsh -f -i
        zpty -w shell "PS1= LISTMAX=10000; stty -echo; fpath=($SCRIPTS \$fpath); autoload -Uz compinit; compinit -u -D"
        zpty -w shell "zstyle \":completion:*\" list-prompt \"\"; bindkey \"^I\" complete-word; setopt no_beep auto_list"
        zpty -w shell "bindkey \"^X\" list-choices; echo rea\"\"dy"
        zpty -r shell text "*ready*"
        zpty -w -n shell "$LINE"$'"'\\x18'"'
        for ((i = 0; i < 30; i++)); do
            while zpty -r -t shell text; do print -rn -- "$text"; done
            sleep 0.05
        done
        zpty -d shell' 2>/dev/null | tr -s ' \r\t' '\n' | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | grep -qx -e "$1"
}
zsh_lacks() { ! zsh_offers "$@"; }

if command -v zsh >/dev/null && zsh -f -c 'zmodload zsh/zpty' 2>/dev/null; then
    check "zsh: the script is zsh" zsh -n "$scripts/_binade"
    check "zsh: questions of cost" zsh_offers fit "binade cost "
    check "zsh: formats of table" zsh_offers e2m1 "binade table "
    check "zsh: no groups for table" zsh_lacks ieee "binade table "
    check "zsh: files of cast" zsh_offers other.npy "binade cast "
    check "zsh: files of an option" zsh_offers hugo.txt "binade train --data "
    check "zsh: files of a picture" zsh_offers other.npy "binade range --svg "
    check "zsh: dialects" zsh_offers onnx-nosaturate "binade show --dialect onnx-"
    check "zsh: recipes" zsh_offers bf16-amp "binade train --recipe bf16-"
else
    skip "zsh with a terminal (zsh/zpty)"
fi
conclude
