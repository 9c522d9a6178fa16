# bash completion for binade; written by 'binade help --completion bash'
_binade()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="show formats table range calc cast vectors prove bench help --help --version"
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
        *) words="--from --to --via --dtype --unpacked --count --raw --stats --json --round --overflow --nan --flush --tininess --dialect --seed --threads --progress --help" ;;
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
        --proof) words="decode text encode float arrays convert one two fma" ;;
        --progress) words="auto always never" ;;
        *) words="--format --round --proof --exhaustive --threads --progress --json --csv --help" ;;
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
        *) words="--roff --completion --help show formats table range calc cast vectors prove bench help" ;;
        esac
        ;;
    esac
    fi
    local list=${cur%"${cur##*,}"}
    COMPREPLY=($(compgen -P "$list" -W "$words" -- "${cur##*,}"))
}
complete -F _binade binade
