#!/bin/sh
# The command that `binade report` gives makes the same runs again: for each option of train that changes them, runs with
# it, the command of their report, and the runs of that have the same configurations. An option of train that is neither
# tried nor named below as one without influence is a failure.
# shellcheck disable=SC1091,SC2154  # build is of checks.sh
. "$(dirname "$0")/checks.sh"

# shellcheck disable=SC2086  # BND_RUNNER may have arguments
binade() { ${BND_RUNNER-} "$program" "$@"; }

without_influence="autopsy checkpoint color csv details dump-batches dump-init full help json list margin memory out plot
plot-range plot-scale progress report resume threads"

# Files that the cases name.
seq 1 400 >text
seq 1 400 | tr -d '\n' >tokens.bin
cat >tokenizer.json <<'JSON'
{"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "model": {"type": "BPE", "merges": [["1", "2"]],
 "vocab": {"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "\u010a": 10, "12": 11}}}
JSON
printf '\223NUMPY\1\0\166\0%-117s\n\5\0\0\0\2\0\0\0' "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}" >order.npy
cat >config.json <<'JSON'
{"model_type": "llama", "hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 1,
 "intermediate_size": 24, "max_position_embeddings": 16, "vocab_size": 256, "rope_theta": 5000, "rms_norm_eps": 1e-4,
 "tie_word_embeddings": true, "hidden_act": "silu"}
JSON
small="--width 16 --depth 1 --heads 4 --context 16 --batch 4 --steps 2"
# shellcheck disable=SC2086  # options
binade train $small --recipe fp32 --dump-init init.safetensors --plot none >/dev/null

# configs DIR: the configurations of all runs, without what the recipe is called.
configs() { find "$1" -name config.json -exec cat {} + | sed 's/^{"recipe": *"[^"]*"//' | sort; }

# lines DIR...: the commands of their report that make runs.
lines() { binade report "$@" --json | grep -o '"line": "binade train[^"]*"' | sed 's/^"line": "//; s/"$//; s/\\\\/\\/g'; }

# again OPTION...: the runs of these options, and those of the command in their report.
again() {
    rm -rf runs first
    binade train "$@" --plot none --out runs >/dev/null || return 1
    lines runs >commands
    mv runs first
    [ "$(wc -l <commands)" = 1 ] || { cat commands; return 1; }
    eval "$(cat commands) --plot none" >/dev/null || { cat commands; return 1; }
    configs first >theirs
    configs runs | diff theirs - || { cat commands; return 1; }
}

tried=
# shellcheck disable=SC2086  # options
while read -r option words; do
    tried="$tried $option "
    case $words in
    *--model* | *--config*) check "$option: $words" again --steps 2 $words </dev/null ;;
    *) check "$option: $words" again $small $words </dev/null ;;
    esac
done <<'CASES'
model --model mlp
model --model gpt2 --width 16 --depth 1 --context 8 --recipe fp32
recipe --recipe bf16-sr,v=bf16,bf16-pure
optimizer --optimizer lion
lr --lr 0.0123456789
betas --betas 0.5,0.25
eps --eps 0.1
wd --wd 5
clip --clip 0.5
schedule --schedule warmup:1
steps --steps 3
seeds --seeds 2 --recipe fp32
seed-init --seed-init 18446744073709551615
seed-data --seed-data 7
seed-rounding --seed-rounding 7 --recipe bf16-sr
batch --batch 6
micro-batches --micro-batches 2
ranks --ranks 2
inputs --model mlp --inputs 5
width --width 24
depth --depth 2
heads --heads 2
context --context 12
vocabulary --vocabulary 9
tied --tied
config --config config.json --data text --recipe bf16-pure
blocks --blocks norm=rmsnorm,position=rope,mlp=swiglu,kv_heads=2,qk_norm,z_loss=1
data --data text
data-type --data tokens.bin --data-type uint8
tokenizer --data text --tokenizer tokenizer.json
source --source chain
init --init init.safetensors
order --order order.npy
recompute --recompute
no-reference --no-reference --recipe bf16-pure
switch --recipe bf16-pure --switch fp16-pure,v=bf16@1
validate --validate 1
statistics --statistics places
statistics --statistics none
CASES

# all_options: those of the help.
all_options() { binade train --help | grep -oE -e '--[a-z]+[a-z-]*' | sed 's/^--//' | sort -u; }

# is_tried OPTION
is_tried() {
    case " $tried $(echo $without_influence) " in
    *" $1 "*) return 0 ;;
    *) return 1 ;;
    esac
}
for option in $(all_options); do
    check "--$option is tried, or has no influence" is_tried "$option"
done
check "the help has options" [ "$(all_options | wc -l)" -gt 40 ]

# Two trainings have a command each, with the recipes of their own runs.
# shellcheck disable=SC2086  # options
for clip in "" "--clip 1"; do
    binade train $small --recipe fp32 $clip --plot none --out "two$clip" >/dev/null
done
expected="binade train --recipe fp32 --steps 2 --batch 4 --width 16 --depth 1 --context 16 --out two
binade train --recipe fp32 --clip 1 --steps 2 --batch 4 --width 16 --depth 1 --context 16 --out 'two--clip 1'"
check "a command per training" equal "$(lines two "two--clip 1")" "$expected"
kind=$(binade report two "two--clip 1" --json | grep -o '"kind": "[a-z]*"')
check "two trainings at one rate are no sweep" equal "$kind" '"kind": "runs"'

# gpt2 is tied, and no option takes that back: where --config did, there is no command.
sed 's/"tie_word_embeddings": true, "hidden_act": "silu"/"tie_word_embeddings": false/' config.json |
    sed 's/llama/gpt2/; s/hidden_size/n_embd/; s/num_attention_heads/n_head/; s/num_hidden_layers/n_layer/
        s/max_position_embeddings/n_positions/; s/intermediate_size/n_inner/
        s/"num_key_value_heads": 2, //; s/, "rope_theta": 5000, "rms_norm_eps": 1e-4//' >untied.json
binade train --config untied.json --data text --steps 2 --recipe fp32 --plot none --out untied >/dev/null
check "what no option says has no command" equal "$(lines untied)" ""
check "and there is such a run" test -s untied/config.json
conclude
