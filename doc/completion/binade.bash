# bash completion for binade; written by 'binade help --completion bash'
_binade()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local words= files=no options= valued= first= others= operands=0 i
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        first="show formats table range block calc cast lint quantize relayout diff train compare report evaluate scan sweep cost vectors verify bench page help" options="--help --version"
    else
    case ${COMP_WORDS[1]} in
    show)
        options="--format --round --verbose --dialects --dialect --overflow --nan --flush --tininess --seed --random --table --svg --link --exact --json --csv --color --help" valued=" --format -f --round -r --dialect --overflow --nan --flush --tininess --seed --random --svg --color "
        first="" others=""
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="default canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both tiny in-tiny" ;;
        --tininess) words="before after" ;;
        --svg) files=yes ;;
        --color) words="auto always never" ;;
        esac ;;
    formats)
        options="--format --json --csv --markdown --color --help" valued=" --format -f --color "
        first="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" others="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx"
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --color) words="auto always never" ;;
        esac ;;
    table)
        options="--json --csv --color --help" valued=" --color "
        first="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" others=""
        case $prev in
        --color) words="auto always never" ;;
        esac ;;
    range)
        options="--format --round --dialect --bars --table --svg --json --csv --overflow --flush --seed --color --help" valued=" --format -f --round -r --dialect --svg --overflow --flush --seed --color "
        first="" others=""
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --svg) files=yes ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --flush) words="none in out both tiny in-tiny" ;;
        --color) words="auto always never" ;;
        esac ;;
    block)
        options="--rule --tensor-scale --round --seed --json --csv --color --help" valued=" --rule --tensor-scale --round -r --seed --color "
        first="mxfp8 mxfp8-e5m2 mxfp6-e2m3 mxfp6-e3m2 mxfp4 mxint8 nvfp4 nvfp4-subnormal" others=""
        case $prev in
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --color) words="auto always never" ;;
        esac ;;
    calc)
        options="--format --round --dialect --overflow --nan --flush --tininess --seed --color --json --csv --help" valued=" --format -f --round -r --dialect --overflow --nan --flush --tininess --seed --color "
        first="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" others=""
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="default canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both tiny in-tiny" ;;
        --tininess) words="before after" ;;
        --color) words="auto always never" ;;
        esac ;;
    cast)
        options="--from --to --via --columns --dtype --unpacked --count --raw --raw-input --stats --json --round --overflow --nan --flush --tininess --dialect --seed --threads --progress --help" valued=" --from --to --via --columns --dtype --count --round -r --overflow --nan --flush --tininess --dialect --seed --threads -j --progress "
        first="@files" others="@files"
        case $prev in
        --from) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --to) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --via) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --dtype) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="default canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both tiny in-tiny" ;;
        --tininess) words="before after" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --progress) words="auto always never" ;;
        esac ;;
    lint)
        options="--all --every-scale --no-codes --checks --layouts --markdown --loaders --report --json --help" valued=" --report "
        first="@files" others=""
        case $prev in
        --report) files=yes ;;
        esac ;;
    quantize)
        options="--to --layout --scale --rule --scale-dtype --activations --keep --include --no-fuse --allow-nonfinite --shard-size --dry-run --report --durable --round --seed --json --csv --threads --progress --help" valued=" --to --layout --scale --rule --scale-dtype --activations --keep --include --shard-size --report --round -r --seed --threads -j --progress "
        first="@files" others="@files"
        case $prev in
        --to) words="e4m3 e5m2 int8 nvfp4 mxfp4 mxfp8 bf16 fp16 fp32" ;;
        --layout) words="compressed-tensors fp8 fp8-block modelopt gpt-oss comfyui" ;;
        --rule) words="amax mse 4/6 floor ceil even rceil ct" ;;
        --scale-dtype) words="fp32 bf16 fp16" ;;
        --activations) words="none dynamic static" ;;
        --report) files=yes ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --progress) words="auto always never" ;;
        esac ;;
    relayout)
        options="--layout --no-check --shard-size --report --threads --progress --json --help" valued=" --layout --shard-size --report --threads -j --progress "
        first="@files" others="@files"
        case $prev in
        --layout) words="compressed-tensors fp8 modelopt" ;;
        --report) files=yes ;;
        --progress) words="auto always never" ;;
        esac ;;
    diff)
        options="--base --no-explain --all --most --histogram --report --threads --progress --json --csv --color --help" valued=" --base --most --report --threads -j --progress --color "
        first="@files" others="@files"
        case $prev in
        --base) files=yes ;;
        --report) files=yes ;;
        --progress) words="auto always never" ;;
        --color) words="auto always never" ;;
        esac ;;
    train)
        options="--model --recipe --optimizer --lr --betas --eps --wd --clip --schedule --steps --seeds --margin --seed-init --seed-data --seed-rounding --batch --micro-batches --ranks --inputs --width --depth --heads --context --vocabulary --tied --config --blocks --data --data-type --tokenizer --source --init --order --dump-init --dump-batches --recompute --no-reference --switch --autopsy --out --report --resume --checkpoint --validate --statistics --memory --details --plot --plot-scale --plot-range --list --threads --progress --json --csv --color --help" valued=" --model --recipe --optimizer --lr --betas --eps --wd --clip --schedule --steps --seeds --margin --seed-init --seed-data --seed-rounding --batch --micro-batches --ranks --inputs --width --depth --heads --context --vocabulary --config --blocks --data --data-type --tokenizer --source --init --order --dump-init --dump-batches --switch --out --report --checkpoint --validate --statistics --plot --plot-scale --plot-range --threads -j --progress --color "
        first="" others=""
        case $prev in
        --model) words="quadratic linear logistic mlp student transformer gpt2 llama" ;;
        --recipe) words="all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit" ;;
        --optimizer) words="sgd momentum adagrad rmsprop adam adamw lion adafactor muon muon-original adam-mini" ;;
        --schedule) words="constant warmup warmup: cosine wsd" ;;
        --config) files=yes ;;
        --data) files=yes ;;
        --data-type) words="uint8 int16 uint16 int32 uint32 int64 uint64" ;;
        --tokenizer) files=yes ;;
        --source) words="copy chain" ;;
        --init) files=yes ;;
        --order) files=yes ;;
        --dump-init) files=yes ;;
        --dump-batches) files=yes ;;
        --out) files=yes ;;
        --report) files=yes ;;
        --statistics) words="none roles places" ;;
        --plot) words="linear log none" ;;
        --plot-scale) words="auto linear log" ;;
        --progress) words="auto always never" ;;
        --color) words="auto always never" ;;
        esac ;;
    compare)
        options="--margin --memory --details --plot --plot-scale --plot-range --steps --step-column --loss-column --json --csv --color --help" valued=" --margin --plot --plot-scale --plot-range --step-column --loss-column --color "
        first="@files" others="@files"
        case $prev in
        --plot) words="linear log none" ;;
        --plot-scale) words="auto linear log" ;;
        --color) words="auto always never" ;;
        esac ;;
    report)
        options="--margin --output --step-column --loss-column --json --help" valued=" --margin --output -o --step-column --loss-column "
        first="@files" others="@files"
        case $prev in
        --output | -o) files=yes ;;
        esac ;;
    evaluate)
        options="--recipe --context --config --data --data-type --tokenizer --batches --tensors --threads --json --csv --help" valued=" --recipe --context --config --data --data-type --tokenizer --batches --tensors --threads -j "
        first="@files" others="@files"
        case $prev in
        --recipe) words="all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit" ;;
        --config) files=yes ;;
        --data) files=yes ;;
        --data-type) words="uint8 int16 uint16 int32 uint32 int64 uint64" ;;
        --tokenizer) files=yes ;;
        esac ;;
    scan)
        options="--to --sqnr --max-underflow --only --skip --vectors --rows --all --ranges --report --json --csv --threads --progress --color --help" valued=" --to --sqnr --max-underflow --only --skip --rows --report --threads -j --progress --color "
        first="@files" others=""
        case $prev in
        --to) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --report) files=yes ;;
        --progress) words="auto always never" ;;
        --color) words="auto always never" ;;
        esac ;;
    sweep)
        options="--model --recipe --lr --seeds --optimizer --betas --eps --wd --clip --schedule --steps --seed-init --seed-data --seed-rounding --batch --micro-batches --ranks --inputs --width --depth --heads --context --vocabulary --tied --config --blocks --data --data-type --tokenizer --source --init --order --recompute --margin --out --report --keep-checkpoints --statistics --details --threads --progress --json --csv --help" valued=" --model --recipe --lr --seeds --optimizer --betas --eps --wd --clip --schedule --steps --seed-init --seed-data --seed-rounding --batch --micro-batches --ranks --inputs --width --depth --heads --context --vocabulary --config --blocks --data --data-type --tokenizer --source --init --order --margin --out --report --statistics --threads -j --progress "
        first="" others=""
        case $prev in
        --model) words="quadratic linear logistic mlp student transformer gpt2 llama" ;;
        --recipe) words="all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit" ;;
        --optimizer) words="sgd momentum adagrad rmsprop adam adamw lion adafactor muon muon-original adam-mini" ;;
        --schedule) words="constant warmup warmup: cosine wsd" ;;
        --config) files=yes ;;
        --data) files=yes ;;
        --data-type) words="uint8 int16 uint16 int32 uint32 int64 uint64" ;;
        --tokenizer) files=yes ;;
        --source) words="copy chain" ;;
        --init) files=yes ;;
        --order) files=yes ;;
        --out) files=yes ;;
        --report) files=yes ;;
        --statistics) words="none roles places" ;;
        --progress) words="auto always never" ;;
        esac ;;
    cost)
        options="--params --tokens --gpus --gpu --format --mfu --sparse --model --layers --hidden --heads --kv-heads --feed-forward --vocab --dropout --seq --batch --recipe --optimizer --zero --ranks --micro-batches --tp --recompute --days --memory --result --peak --bandwidth --seconds --tokens-per-second --width --depth --context --vocabulary --inputs --tied --blocks --svg --json --color --help" valued=" --params --tokens --gpus --gpu --format -f --mfu --model --layers --hidden --heads --kv-heads --feed-forward --vocab --dropout --seq --batch --recipe --optimizer --zero --ranks --micro-batches --tp --recompute --days --memory --result --peak --bandwidth --seconds --tokens-per-second --width --depth --context --vocabulary --inputs --blocks --svg --color "
        first="time mfu fit memory flops tensor roofline machines models" others=""
        case $prev in
        --gpu) words="a100 a100-40gb h100 h100-pcie h200 h800 h20 rtx4090 b200 mi300x tpu-v5p this" ;;
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --model) words="gpt2 gpt2-medium gpt2-large gpt2-xl gpt3-175b gpt-neox-20b llama2-7b llama2-13b llama2-70b mistral-7b gemma-7b llama3-8b llama3-70b llama3-405b llama3.2-1b qwen2.5-7b qwen2.5-72b binade transformer llama mlp linear logistic quadratic student" ;;
        --dropout) words="yes no" ;;
        --recipe) words="all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit" ;;
        --optimizer) words="sgd momentum adagrad rmsprop adam adamw lion adafactor muon muon-original adam-mini" ;;
        --zero) words="0 1 2 3" ;;
        --recompute) words="none selective full" ;;
        --result) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --svg) files=yes ;;
        --color) words="auto always never" ;;
        esac ;;
    vectors)
        options="--op --in --out --count --level --round --overflow --nan --flush --tininess --dialect --seed --memh --lab-flags --flags --show --coverage --progress --json --color --help" valued=" --op --in --out --count -n --level --round -r --overflow --nan --flush --tininess --dialect --seed --flags --show --progress --color "
        first="gen check" others="@files"
        case $prev in
        --op) words="convert add sub mul div sqrt fma rem min max dot:4 mxdot" ;;
        --in) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --out) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16" ;;
        --level) words="1 2 all" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --nan) words="bits any default canonical signed ones signed-ones propagate x86" ;;
        --flush) words="none in out both tiny in-tiny" ;;
        --tininess) words="before after" ;;
        --dialect) words="ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone" ;;
        --flags) words="none ieee all" ;;
        --progress) words="auto always never" ;;
        --color) words="auto always never" ;;
        esac ;;
    verify | prove)
        options="--format --round --overflow --check --exhaustive --state --threads --progress --json --csv --help" valued=" --format -f --round -r --overflow --check --state --threads -j --progress "
        first="" others=""
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --round | -r) words="rne rna rtz rup rdn rto sr sra srb sr-equal" ;;
        --overflow) words="format saturate propagate format-max propagate-max" ;;
        --check) words="decode decimal encode midpoints from-float arrays convert unary binary fma functions bits" ;;
        --state) files=yes ;;
        --progress) words="auto always never" ;;
        esac ;;
    bench)
        options="--format --case --size --backend --threads --data --rounds --seconds --list --progress --json --help" valued=" --format -f --case --size --backend --threads -j --data --rounds --seconds --progress "
        first="" others=""
        case $prev in
        --format | -f) words="fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx" ;;
        --size) words="L1 L2 memory gemm call tensor train" ;;
        --backend) words="all best portable avx2 avx512 neon wasm128" ;;
        --data) words="normal hard" ;;
        --progress) words="auto always never" ;;
        esac ;;
    page)
        options="--path --help" valued=" "
        first="" others=""
        case $prev in
        esac ;;
    help)
        options="--full --examples --roff --completion --help" valued=" --roff --completion "
        first="show formats table range block calc cast lint quantize relayout diff train compare report evaluate scan sweep cost vectors verify bench page help" others="show formats table range block calc cast lint quantize relayout diff train compare report evaluate scan sweep cost vectors verify bench page help"
        case $prev in
        --completion) words="bash zsh fish" ;;
        esac ;;
    esac
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*)
            [ "${COMP_WORDS[i + 1]}" = = ] && ((i++))
            [[ $valued == *" ${COMP_WORDS[i]} "* || ${COMP_WORDS[i]} == = ]] && ((i++)) ;;
        *) ((operands++)) ;;
        esac
    done
    [ "$operands" -gt 0 ] && first=$others
    if [ -n "$words" ] || [ "$files" = yes ] || [[ $valued == *" $prev "* ]]; then
        :
    elif [[ $cur == -* ]]; then
        words=$options
    elif [ "$first" = @files ]; then
        files=yes
    else
        words=${first:-$options}
    fi
    local list=${cur%"${cur##*,}"}
    COMPREPLY=($(compgen -P "$list" -W "$words" -- "${cur##*,}"))
    [ "$files" = yes ] || compopt +o default +o bashdefault 2>/dev/null
    return 0
}
complete -o bashdefault -o default -F _binade binade
