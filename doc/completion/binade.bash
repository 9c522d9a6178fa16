# bash completion for binade; written by 'binade help --completion bash'
_binade()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="show formats table range calc cast train compare sweep vectors prove cost bench help --help --version"
    else
    case ${COMP_WORDS[1]} in
    show)
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both" ;;
        --tininess) words="before after" ;;
        --color) words="auto always never" ;;
        *) words="--format --round --verbose --dialects --dialect --overflow --nan --flush --tininess --seed --exact --json --color --help" ;;
        esac
        ;;
    formats)
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --color) words="auto always never" ;;
        *) words="--format --json --csv --markdown --color --help fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        esac
        ;;
    table)
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --color) words="auto always never" ;;
        *) words="--format --json --csv --color --help fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        esac
        ;;
    range)
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --flush) words="none in out both" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --color) words="auto always never" ;;
        *) words="--format --round --overflow --flush --dialect --seed --json --csv --color --help" ;;
        esac
        ;;
    calc)
        case $prev in
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both" ;;
        --tininess) words="before after" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --color) words="auto always never" ;;
        *) words="--round --overflow --nan --flush --tininess --dialect --seed --json --color --help fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        esac
        ;;
    cast)
        case $prev in
        --from) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --to) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --via) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --dtype) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both" ;;
        --tininess) words="before after" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --progress) words="auto always never" ;;
        *) words="--from --to --via --dtype --unpacked --count --raw --raw-input --stats --json --round --overflow --nan --flush --tininess --dialect --seed --threads --progress --help" ;;
        esac
        ;;
    train)
        case $prev in
        --model) words="quadratic linear logistic mlp student transformer" ;;
        --recipe) words="all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-e4m3-unscaled fp8-delayed fp8-current fp8-rowwise fp8-block mxfp8 mxfp8-floor mxfp8-norms mxfp6 mxfp4 nvfp4 fp8-lm adam8bit" ;;
        --optimizer) words="sgd momentum adagrad rmsprop adam adamw lion adafactor" ;;
        --schedule) words="constant warmup cosine wsd" ;;
        --statistics) words="none roles places" ;;
        --plot) words="linear log none" ;;
        --progress) words="auto always never" ;;
        --color) words="auto always never" ;;
        *) words="--model --recipe --optimizer --lr --betas --eps --wd --schedule --steps --seeds --seed-init --seed-data --seed-rounding --batch --inputs --width --depth --heads --context --vocabulary --tied --data --recompute --switch --autopsy --out --resume --checkpoint --validate --statistics --plot --list --threads --progress --json --csv --color --help" ;;
        esac
        ;;
    compare)
        case $prev in
        --plot) words="linear log none" ;;
        --color) words="auto always never" ;;
        *) words="--plot --steps --json --csv --color --help" ;;
        esac
        ;;
    sweep)
        case $prev in
        --model) words="quadratic linear logistic mlp student transformer" ;;
        --recipe) words="all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-e4m3-unscaled fp8-delayed fp8-current fp8-rowwise fp8-block mxfp8 mxfp8-floor mxfp8-norms mxfp6 mxfp4 nvfp4 fp8-lm adam8bit" ;;
        --optimizer) words="sgd momentum adagrad rmsprop adam adamw lion adafactor" ;;
        --schedule) words="constant warmup cosine wsd" ;;
        --statistics) words="none roles places" ;;
        --progress) words="auto always never" ;;
        *) words="--model --recipe --lr --seeds --optimizer --betas --eps --wd --schedule --steps --seed-init --seed-data --seed-rounding --batch --inputs --width --depth --heads --context --vocabulary --tied --data --recompute --out --keep-checkpoints --statistics --threads --progress --json --csv --help" ;;
        esac
        ;;
    vectors)
        case $prev in
        --op) words="convert add sub mul div sqrt fma rem min max dot:4 mxdot" ;;
        --in) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --out) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --level) words="1 2 all" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="bits any canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both" ;;
        --tininess) words="before after" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --flags) words="none ieee all" ;;
        --progress) words="auto always never" ;;
        --color) words="auto always never" ;;
        *) words="--op --in --out --count --level --round --overflow --nan --flush --tininess --dialect --seed --memh --lab-flags --flags --show --progress --json --color --help" ;;
        esac
        ;;
    prove)
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --proof) words="decode text encode float arrays convert one two fma functions" ;;
        --progress) words="auto always never" ;;
        *) words="--format --round --proof --exhaustive --threads --progress --json --csv --help" ;;
        esac
        ;;
    cost)
        case $prev in
        --gpu) words="a100 a100-40gb h100 h100-pcie h200 b200 mi300x tpu-v5p this" ;;
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --model) words="gpt2 gpt2-medium gpt2-large gpt2-xl gpt3-175b gpt-neox-20b llama2-7b llama2-13b llama2-70b mistral-7b gemma-7b llama3-8b llama3-70b llama3-405b llama3.2-1b qwen2.5-7b qwen2.5-72b binade" ;;
        --recipe) words="fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-e4m3-unscaled fp8-delayed fp8-current fp8-rowwise fp8-block mxfp8 mxfp8-floor mxfp8-norms mxfp6 mxfp4 nvfp4 fp8-lm adam8bit" ;;
        --optimizer) words="sgd momentum adagrad rmsprop adam adamw lion adafactor" ;;
        --zero) words="0 1 2 3" ;;
        --recompute) words="none selective full" ;;
        --result) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --kept) words="saved binade" ;;
        --color) words="auto always never" ;;
        *) words="--params --tokens --gpus --gpu --format --mfu --sparse --model --layers --hidden --heads --kv-heads --feed-forward --vocab --seq --batch --recipe --optimizer --zero --ranks --tp --recompute --days --memory --result --kept --json --color --help" ;;
        esac
        ;;
    bench)
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --size) words="L1 L2 memory gemm call tensor train" ;;
        --backend) words="all best portable avx2 avx512 neon wasm128" ;;
        --data) words="normal hard" ;;
        --progress) words="auto always never" ;;
        *) words="--format --case --size --backend --threads --data --rounds --seconds --list --progress --json --help" ;;
        esac
        ;;
    help)
        case $prev in
        --completion) words="bash zsh" ;;
        *) words="--roff --completion --help show formats table range calc cast train compare sweep vectors prove cost bench help" ;;
        esac
        ;;
    esac
    fi
    local list=${cur%"${cur##*,}"}
    COMPREPLY=($(compgen -P "$list" -W "$words" -- "${cur##*,}"))
}
complete -F _binade binade
