# fish completion for binade; written by 'binade help --completion fish'
# __binade_is COMMAND[/OLD-NAME] [first|others]: that command, and its first operand or a later one.
function __binade_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- "$words[2]" (string split / $argv[1]); or return 1
    test (count $argv) -ge 2; or return 0
    set -l before (count $words)
    test $argv[2] = first; and test $before -eq 2; and return 0
    test $argv[2] = others; and test $before -gt 2
end
complete -c binade -f
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -l help -d 'the list of commands'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -l version -d 'the version'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a show -d 'how values are rounded in several formats: bits, value, error, flags'
complete -c binade -n '__binade_is show' -l format -s f -d 'formats, separated by commas: built-in (fp16, e4m3), P3109 (binary8p3se), custom (e6m9, e5m10b12fn), value sets (p11emin-14emax15), groups (all ieee ocp fnuz p3109 p3109-all mx)' -x -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n '__binade_is show' -l round -s r -d 'rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)' -x -a 'rne rna rtz rup rdn rto sr sra srb sr-equal'
complete -c binade -n '__binade_is show' -l verbose -s v -d 'explain each rounding: the value (x) and the midpoint (:) between the neighbours, and the rule'
complete -c binade -n '__binade_is show' -l dialects -d 'the results under the rules of PyTorch, JAX, ONNX, CUDA and others'
complete -c binade -n '__binade_is show' -l dialect -d 'the rule of a library, such as torch; explicit options override it (default none)' -x -a 'ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone'
complete -c binade -n '__binade_is show' -l overflow -d 'what overflow gives: format saturate propagate format-max propagate-max (default format)' -x -a 'format saturate propagate format-max propagate-max'
complete -c binade -n '__binade_is show' -l nan -d 'which NaN results: canonical signed ones signed-ones propagate x86 (default signed in conversions, canonical in operations)' -x -a 'default canonical signed ones signed-ones propagate x86'
complete -c binade -n '__binade_is show' -l flush -d 'what becomes zero: none; subnormals, in, out or both; tiny results, tiny or in-tiny (default none)' -x -a 'none in out both tiny in-tiny'
complete -c binade -n '__binade_is show' -l tininess -d 'underflow is detected before or after rounding (default after)' -x -a 'before after'
complete -c binade -n '__binade_is show' -l seed -d 'seed for the random bits of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is show' -l random -d 'the random bits of stochastic rounding as a number, for every value (default: those of --seed)' -x
complete -c binade -n '__binade_is show' -l table -d 'a line per value and a column per format; of one value, a line per format'
complete -c binade -n '__binade_is show' -l svg -d 'one value between its neighbours as a picture in FILE (- is standard output), and nothing else' -r -F
complete -c binade -n '__binade_is show' -l link -d 'the address of the page with this command\'s state (binade.html#number/...), and nothing else'
complete -c binade -n '__binade_is show' -l exact -d 'every digit in plain notation, up to about 100,000 (default: exponent form after 40 digits)'
complete -c binade -n '__binade_is show' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is show' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is show' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is show' -l help -s h -d 'print this text'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a formats -d 'the formats: layout, limits, special values, names elsewhere'
complete -c binade -n '__binade_is formats' -l format -s f -d 'formats, separated by commas: built-in (fp16, e4m3), P3109 (binary8p3se), custom (e6m9, e5m10b12fn), value sets (p11emin-14emax15), groups (all ieee ocp fnuz p3109 p3109-all mx)' -x -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n '__binade_is formats' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is formats' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is formats' -l markdown -d 'the page doc/reference/formats.md, in Markdown'
complete -c binade -n '__binade_is formats' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is formats' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is formats first' -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is formats others' -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a table -d 'every code of a format of at most 16 bits'
complete -c binade -n '__binade_is table' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is table' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is table' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is table' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is table first' -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a range -d 'which formats contain a value, and where it underflows or overflows'
complete -c binade -n '__binade_is range' -l format -s f -d 'formats, separated by commas: built-in (fp16, e4m3), P3109 (binary8p3se), custom (e6m9, e5m10b12fn), value sets (p11emin-14emax15), groups (all ieee ocp fnuz p3109 p3109-all mx)' -x -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n '__binade_is range' -l round -s r -d 'rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)' -x -a 'rne rna rtz rup rdn rto sr sra srb sr-equal'
complete -c binade -n '__binade_is range' -l dialect -d 'the rule of a library, such as torch; explicit options override it (default none)' -x -a 'ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone'
complete -c binade -n '__binade_is range' -l bars -d 'bars on a logarithmic axis (default on a terminal)'
complete -c binade -n '__binade_is range' -l table -d 'values against formats (default on a pipe)'
complete -c binade -n '__binade_is range' -l svg -d 'the bars as a picture in FILE (- is standard output), and nothing else' -r -F
complete -c binade -n '__binade_is range' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is range' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is range' -l overflow -d 'what overflow gives: format saturate propagate format-max propagate-max (default format)' -x -a 'format saturate propagate format-max propagate-max'
complete -c binade -n '__binade_is range' -l flush -d 'what becomes zero: none; subnormals, in, out or both; tiny results, tiny or in-tiny (default none)' -x -a 'none in out both tiny in-tiny'
complete -c binade -n '__binade_is range' -l seed -d 'seed for the random bits of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is range' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is range' -l help -s h -d 'print this text'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a block -d 'one block of numbers that share a scale, under each scale rule'
complete -c binade -n '__binade_is block' -l rule -d 'scale rules, separated by commas: floor, ceil, even, rceil, ct, mse; of NVFP4 nearest, 4/6, mse (default all of the block format)' -x
complete -c binade -n '__binade_is block' -l tensor-scale -d 'the scale of the tensor that the block is a part of, a factor (NVFP4; default: as if the block were the whole tensor)' -x
complete -c binade -n '__binade_is block' -l round -s r -d 'rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)' -x -a 'rne rna rtz rup rdn rto sr sra srb sr-equal'
complete -c binade -n '__binade_is block' -l seed -d 'seed for the random bits of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is block' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is block' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is block' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is block' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is block first' -a 'mxfp8 mxfp8-e5m2 mxfp6-e2m3 mxfp6-e3m2 mxfp4 mxint8 nvfp4 nvfp4-subnormal'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a calc -d 'an expression with every operation rounded in a format'
complete -c binade -n '__binade_is calc' -l format -s f -d 'formats, separated by commas: built-in (fp16, e4m3), P3109 (binary8p3se), custom (e6m9, e5m10b12fn), groups (all ieee ocp fnuz p3109 p3109-all mx); no value sets, which have no codes' -x -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n '__binade_is calc' -l round -s r -d 'rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)' -x -a 'rne rna rtz rup rdn rto sr sra srb sr-equal'
complete -c binade -n '__binade_is calc' -l dialect -d 'the rule of a library, such as torch; explicit options override it (default none)' -x -a 'ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone'
complete -c binade -n '__binade_is calc' -l overflow -d 'what overflow gives: format saturate propagate format-max propagate-max (default format)' -x -a 'format saturate propagate format-max propagate-max'
complete -c binade -n '__binade_is calc' -l nan -d 'which NaN results: canonical signed ones signed-ones propagate x86 (default signed in conversions, canonical in operations)' -x -a 'default canonical signed ones signed-ones propagate x86'
complete -c binade -n '__binade_is calc' -l flush -d 'what becomes zero: none; subnormals, in, out or both; tiny results, tiny or in-tiny (default none)' -x -a 'none in out both tiny in-tiny'
complete -c binade -n '__binade_is calc' -l tininess -d 'underflow is detected before or after rounding (default after)' -x -a 'before after'
complete -c binade -n '__binade_is calc' -l seed -d 'seed for the random bits of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is calc' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is calc' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is calc' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is calc' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is calc first' -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a cast -d 'an array from one format to another, in files and streams'
complete -c binade -n '__binade_is cast' -l from -d 'input format (not needed for most .npy files)' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is cast' -l to -d 'output format: any but value sets and block formats, which only --via takes' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is cast' -l via -d 'round to F and keep the input\'s format (fp32 or fp64); F may be a value set or a block format (mxfp8, nvfp4, e4m3/tile:1x128)' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is cast' -l columns -d 'for block formats: length of a row of a bare array (default: one row)' -x
complete -c binade -n '__binade_is cast' -l dtype -d 'input format of a .npy file, if its header does not name it' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is cast' -l unpacked -d 'bare arrays have one code in 1, 2, 4 or 8 bytes, as few as possible (default packed)'
complete -c binade -n '__binade_is cast' -l count -d 'number of elements of a bare input (default: all of it)' -x
complete -c binade -n '__binade_is cast' -l raw -d 'write a bare array, whatever the name of OUT'
complete -c binade -n '__binade_is cast' -l raw-input -d 'read IN as a bare array, even if it looks like another kind of file'
complete -c binade -n '__binade_is cast' -l stats -d 'print statistics of the conversion to standard error'
complete -c binade -n '__binade_is cast' -l json -d 'print the statistics as JSON'
complete -c binade -n '__binade_is cast' -l round -s r -d 'rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)' -x -a 'rne rna rtz rup rdn rto sr sra srb sr-equal'
complete -c binade -n '__binade_is cast' -l overflow -d 'what overflow gives: format saturate propagate format-max propagate-max (default format)' -x -a 'format saturate propagate format-max propagate-max'
complete -c binade -n '__binade_is cast' -l nan -d 'which NaN results: canonical signed ones signed-ones propagate x86 (default signed in conversions, canonical in operations)' -x -a 'default canonical signed ones signed-ones propagate x86'
complete -c binade -n '__binade_is cast' -l flush -d 'what becomes zero: none; subnormals, in, out or both; tiny results, tiny or in-tiny (default none)' -x -a 'none in out both tiny in-tiny'
complete -c binade -n '__binade_is cast' -l tininess -d 'underflow is detected before or after rounding (default after)' -x -a 'before after'
complete -c binade -n '__binade_is cast' -l dialect -d 'the rule of a library, such as torch; explicit options override it (default none)' -x -a 'ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone'
complete -c binade -n '__binade_is cast' -l seed -d 'seed for the random bits of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is cast' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is cast' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is cast' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is cast first' -F
complete -c binade -n '__binade_is cast others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a lint -d 'what is wrong with a checkpoint, and who loads it'
complete -c binade -n '__binade_is lint' -l all -d 'print every place of a finding, not the first three'
complete -c binade -n '__binade_is lint' -l every-scale -d 'read every scale; otherwise, of more than 512 MiB, pieces of each tensor'
complete -c binade -n '__binade_is lint' -l no-codes -d 'read no codes; otherwise a sample of FP8 codes, at most 16 MiB in all, and at most 16 MiB of each weight whose scales are suspected'
complete -c binade -n '__binade_is lint' -l checks -d 'print the checks, and where each damage is known from'
complete -c binade -n '__binade_is lint' -l layouts -d 'print the layouts: their tensors, dtypes and shapes'
complete -c binade -n '__binade_is lint' -l markdown -d 'with --layouts: the page doc/reference/layouts.md'
complete -c binade -n '__binade_is lint' -l loaders -d 'print which software loads which layout, and the source of each answer'
complete -c binade -n '__binade_is lint' -l report -d 'write a page with the findings as well: one file that opens in a browser' -r -F
complete -c binade -n '__binade_is lint' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is lint' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is lint first' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a quantize -d 'a checkpoint in FP8, NVFP4, MX or INT8, and back'
complete -c binade -n '__binade_is quantize' -l to -d 'format of the weights: e4m3 e5m2 int8 nvfp4 mxfp4 mxfp8; or bf16 fp16 fp32, which decodes quantized weights' -x -a 'e4m3 e5m2 int8 nvfp4 mxfp4 mxfp8 bf16 fp16 fp32'
complete -c binade -n '__binade_is quantize' -l layout -d 'names, shapes and config of: compressed-tensors fp8 fp8-block modelopt gpt-oss comfyui (default compressed-tensors)' -x -a 'compressed-tensors fp8 fp8-block modelopt gpt-oss comfyui'
complete -c binade -n '__binade_is quantize' -l scale -d 'what shares a scale: tensor, row, tile:128x128 (default by --to and --layout)' -x
complete -c binade -n '__binade_is quantize' -l rule -d 'scales from the largest magnitude: amax mse 4/6 floor ceil even rceil ct (default the layout\'s own)' -x -a 'amax mse 4/6 floor ceil even rceil ct'
complete -c binade -n '__binade_is quantize' -l scale-dtype -d 'format of scales of more than 8 bits: fp32 bf16 fp16 (default what the layout\'s own tool writes)' -x -a 'fp32 bf16 fp16'
complete -c binade -n '__binade_is quantize' -l activations -d 'scales of activations: none, dynamic (found as it runs) or static (input scales of a quantized IN); by default static if all have them, else dynamic for 8 bits and none for 4' -x -a 'none dynamic static'
complete -c binade -n '__binade_is quantize' -l keep -d 'weights or modules that stay as they are: patterns with * and ?, separated by commas; may be repeated' -x
complete -c binade -n '__binade_is quantize' -l include -d 'matrices that are quantized although they stay by default, such as lm_head; patterns as for --keep' -x
complete -c binade -n '__binade_is quantize' -l no-fuse -d 'q, k and v, or gate and up, get tensor scales of their own; engines that join them need equal ones'
complete -c binade -n '__binade_is quantize' -l allow-nonfinite -d 'accept NaNs, infinities, and numbers that overflow to infinity in --to fp16; in formats of blocks they make their scale NaN; without this option they are an error'
complete -c binade -n '__binade_is quantize' -l shard-size -d 'most bytes of tensors per file of a folder: 5GB, 512MiB (default 5GB, or one file if IN is one)' -x
complete -c binade -n '__binade_is quantize' -l dry-run -d 'print the plan for each tensor, and write nothing'
complete -c binade -n '__binade_is quantize' -l report -d 'write a page with the plan as well: one file that opens in a browser' -r -F
complete -c binade -n '__binade_is quantize' -l durable -d 'wait until the disk has the output'
complete -c binade -n '__binade_is quantize' -l round -s r -d 'rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)' -x -a 'rne rna rtz rup rdn rto sr sra srb sr-equal'
complete -c binade -n '__binade_is quantize' -l seed -d 'seed for the random bits of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is quantize' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is quantize' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is quantize' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is quantize' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is quantize' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is quantize first' -F
complete -c binade -n '__binade_is quantize others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a relayout -d 'the same codes in another layout: names, shapes, reciprocals, configs'
complete -c binade -n '__binade_is relayout' -l layout -d 'compressed-tensors, fp8 or modelopt; or the layout that the input came from' -x -a 'compressed-tensors fp8 modelopt'
complete -c binade -n '__binade_is relayout' -l no-check -d 'do not compare the values of input and output at the end'
complete -c binade -n '__binade_is relayout' -l shard-size -d 'most bytes of tensors per file of a folder: 5GB, 512MiB (default: one file)' -x
complete -c binade -n '__binade_is relayout' -l report -d 'write a page with the changes as well: one file that opens in a browser' -r -F
complete -c binade -n '__binade_is relayout' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is relayout' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is relayout' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is relayout' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is relayout first' -F
complete -c binade -n '__binade_is relayout others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a diff -d 'how two checkpoints differ, and how a quantized one was made'
complete -c binade -n '__binade_is diff' -l base -d 'the unquantized model that A was made from (default: B, for weights that are quantized in A only)' -r -F
complete -c binade -n '__binade_is diff' -l no-explain -d 'do not search how A was made'
complete -c binade -n '__binade_is diff' -l all -d 'list every weight, equal ones too'
complete -c binade -n '__binade_is diff' -l most -d 'list at most N weights (default 20; with --all every one)' -x
complete -c binade -n '__binade_is diff' -l histogram -d 'count the elements by their distance in ulps'
complete -c binade -n '__binade_is diff' -l report -d 'write a page with the answer as well: one file that opens in a browser' -r -F
complete -c binade -n '__binade_is diff' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is diff' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is diff' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is diff' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is diff' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is diff' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is diff first' -F
complete -c binade -n '__binade_is diff others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a train -d 'train a model in fp32 and in each recipe, and compare'
complete -c binade -n '__binade_is train' -l model -d 'as train --list has them (default transformer)' -x -a 'quadratic linear logistic mlp student transformer gpt2 llama'
complete -c binade -n '__binade_is train' -l recipe -d 'recipes, separated by commas, or all; settings: base=bf16-amp,v=bf16,dact=e5m2:sr; or FILE.json (default fp32,bf16-amp,fp16-pure)' -x -a '(__fish_complete_list , "string split \" \" \"all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit\"")'
complete -c binade -n '__binade_is train' -l optimizer -d 'as train --list has them (default adamw)' -x -a 'sgd momentum adagrad rmsprop adam adamw lion adafactor muon muon-original adam-mini'
complete -c binade -n '__binade_is train' -l lr -d 'learning rate (default of model and optimizer: transformer, adamw 0.003)' -x
complete -c binade -n '__binade_is train' -l betas -d 'decay rates (default of adamw 0.9,0.999)' -x
complete -c binade -n '__binade_is train' -l eps -d 'epsilon of the optimizer (default of adamw 1e-8)' -x
complete -c binade -n '__binade_is train' -l wd -d 'weight decay (default of adamw 0.01)' -x
complete -c binade -n '__binade_is train' -l clip -d 'clip gradients to this norm of all of them together (default: none)' -x
complete -c binade -n '__binade_is train' -l schedule -d 'of the learning rate: constant warmup warmup:N cosine wsd (default constant)' -x -a 'constant warmup warmup: cosine wsd'
complete -c binade -n '__binade_is train' -l steps -d 'steps per run (default 200 to 600, by model)' -x
complete -c binade -n '__binade_is train' -l seeds -d 'seed pairs (initialisation, data): runs per recipe (default 1)' -x
complete -c binade -n '__binade_is train' -l margin -d 'the tolerance of verdicts, in per cent of the loss above the irreducible loss (default 5)' -x
complete -c binade -n '__binade_is train' -l seed-init -d 'seed of the initial weights (default 0)' -x
complete -c binade -n '__binade_is train' -l seed-data -d 'seed of data and batches (default 0)' -x
complete -c binade -n '__binade_is train' -l seed-rounding -d 'seed of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is train' -l batch -d 'batch size: rows or sequences per step (default 1 to 128, by model)' -x
complete -c binade -n '__binade_is train' -l micro-batches -d 'divide each rank\'s batch into K, whose gradients are added (recipe: accumulate=FORMAT)' -x
complete -c binade -n '__binade_is train' -l ranks -d 'divide the batch among K ranks, whose gradients are added (recipe: reduce=FORMAT/ORDER)' -x
complete -c binade -n '__binade_is train' -l inputs -d 'number of inputs of the MLP' -x
complete -c binade -n '__binade_is train' -l width -d 'width of a layer (default 64; mlp 128)' -x
complete -c binade -n '__binade_is train' -l depth -d 'number of layers (default 2)' -x
complete -c binade -n '__binade_is train' -l heads -d 'attention heads (default 4)' -x
complete -c binade -n '__binade_is train' -l context -d 'tokens per sequence (default 32)' -x
complete -c binade -n '__binade_is train' -l vocabulary -d 'number of different tokens (default 16; chain 32; or those of --data)' -x
complete -c binade -n '__binade_is train' -l tied -d 'the head shares the token embedding\'s weights'
complete -c binade -n '__binade_is train' -l config -d 'Hugging Face\'s config.json of a GPT-2 or Llama: the model and its sizes' -r -F
complete -c binade -n '__binade_is train' -l blocks -d 'options of a transformer\'s blocks: norm=rmsnorm,position=rope,mlp=swiglu,kv_heads=2,qk_norm,no_bias,... (default: the model\'s own)' -x
complete -c binade -n '__binade_is train' -l data -d 'training text (one token per byte), or tokens in .npy or .bin (default: drawn, --source)' -r -F
complete -c binade -n '__binade_is train' -l data-type -d 'of the tokens in --data, if it is not .npy: uint8, int16, uint16, int32, uint32, int64, uint64 (default: uint16 for .bin, else uint8)' -x -a 'uint8 int16 uint16 int32 uint32 int64 uint64'
complete -c binade -n '__binade_is train' -l tokenizer -d 'tokenizer.json: the text in --data becomes tokens of this byte-level BPE (default: one token per byte; of evaluate: that of the run)' -r -F
complete -c binade -n '__binade_is train' -l source -d 'drawn text, if there is no --data: copy (needs attention) or chain (does not) (default copy)' -x -a 'copy chain'
complete -c binade -n '__binade_is train' -l init -d 'initial weights, a .safetensors file as --dump-init writes it, or a folder of them (default: drawn)' -r -F
complete -c binade -n '__binade_is train' -l order -d 'the batch of each step, integers in .npy (default: in turn)' -r -F
complete -c binade -n '__binade_is train' -l dump-init -d 'write the initial weights as .safetensors, F32' -r -F
complete -c binade -n '__binade_is train' -l dump-batches -d 'write the data of each step as .safetensors: x, y' -r -F
complete -c binade -n '__binade_is train' -l recompute -d 'recompute layers in the backward pass: slower, less memory'
complete -c binade -n '__binade_is train' -l no-reference -d 'do not add fp32: the first recipe is the reference'
complete -c binade -n '__binade_is train' -l switch -d 'also run each recipe with a change to RECIPE at STEP' -x
complete -c binade -n '__binade_is train' -l autopsy -d 'find the cause if a recipe is worse or failed; needs many more runs'
complete -c binade -n '__binade_is train' -l out -d 'keep the runs in this directory' -r -F
complete -c binade -n '__binade_is train' -l report -d 'also write the runs as a page, FILE.html' -r -F
complete -c binade -n '__binade_is train' -l resume -d 'continue the runs in --out'
complete -c binade -n '__binade_is train' -l checkpoint -d 'write a checkpoint every N steps, with --out (default only at the end)' -x
complete -c binade -n '__binade_is train' -l validate -d 'validate every N steps (default only at the end)' -x
complete -c binade -n '__binade_is train' -l statistics -d 'statistics of casts: none (faster), roles, or places (roles and places; default roles)' -x -a 'none roles places'
complete -c binade -n '__binade_is train' -l memory -d 'also print bytes by role: a table and stacked bars'
complete -c binade -n '__binade_is train' -l details -d 'more tables: lost updates, underflow and overflow; memory; time of the emulation'
complete -c binade -n '__binade_is train' -l plot -d 'the axis of steps in the plot of losses: linear log none (default linear)' -x -a 'linear log none'
complete -c binade -n '__binade_is train' -l plot-scale -d 'the axis of losses: auto linear log (default auto: log if they span a factor of 30)' -x -a 'auto linear log'
complete -c binade -n '__binade_is train' -l plot-range -d 'plot only these steps' -x
complete -c binade -n '__binade_is train' -l list -d 'list models, optimizers, recipes, and their defaults'
complete -c binade -n '__binade_is train' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is train' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is train' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is train' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is train' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is train' -l help -s h -d 'print this text'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a compare -d 'compare training runs: verdicts, gaps, memory, time'
complete -c binade -n '__binade_is compare' -l margin -d 'the tolerance of verdicts, in per cent of the loss above the irreducible loss (default 5)' -x
complete -c binade -n '__binade_is compare' -l memory -d 'also print bytes by role: a table and stacked bars'
complete -c binade -n '__binade_is compare' -l details -d 'more tables: lost updates, underflow and overflow; memory; time of the emulation'
complete -c binade -n '__binade_is compare' -l plot -d 'the axis of steps in the plot of losses: linear log none (default linear)' -x -a 'linear log none'
complete -c binade -n '__binade_is compare' -l plot-scale -d 'the axis of losses: auto linear log (default auto: log if they span a factor of 30)' -x -a 'auto linear log'
complete -c binade -n '__binade_is compare' -l plot-range -d 'plot only these steps' -x
complete -c binade -n '__binade_is compare' -l steps -d 'print all steps of one RUN as CSV'
complete -c binade -n '__binade_is compare' -l step-column -d 'name of the step column in logs of other programs' -x
complete -c binade -n '__binade_is compare' -l loss-column -d 'name of the loss column in logs of other programs' -x
complete -c binade -n '__binade_is compare' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is compare' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is compare' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is compare' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is compare first' -F
complete -c binade -n '__binade_is compare others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a report -d 'write training runs as one page, to read and to share'
complete -c binade -n '__binade_is report' -l margin -d 'the tolerance of verdicts, in per cent of the loss above the irreducible loss (default 5)' -x
complete -c binade -n '__binade_is report' -l output -s o -d 'the page to write, FILE.html' -r -F
complete -c binade -n '__binade_is report' -l step-column -d 'name of the step column in logs of other programs' -x
complete -c binade -n '__binade_is report' -l loss-column -d 'name of the loss column in logs of other programs' -x
complete -c binade -n '__binade_is report' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is report' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is report first' -F
complete -c binade -n '__binade_is report others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a evaluate -d 'measure trained weights in each recipe, without training'
complete -c binade -n '__binade_is evaluate' -l recipe -d 'recipes, as train takes them (default bf16-amp,fp8-current,mxfp8,nvfp4,mxfp4)' -x -a '(__fish_complete_list , "string split \" \" \"all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit\"")'
complete -c binade -n '__binade_is evaluate' -l context -d 'tokens per sequence (default 32)' -x
complete -c binade -n '__binade_is evaluate' -l config -d 'Hugging Face\'s config.json of a GPT-2 or Llama: the model and its sizes' -r -F
complete -c binade -n '__binade_is evaluate' -l data -d 'validation text (one token per byte) or tokens (default: that of the run)' -r -F
complete -c binade -n '__binade_is evaluate' -l data-type -d 'of the tokens in --data, if it is not .npy: uint8, int16, uint16, int32, uint32, int64, uint64 (default: uint16 for .bin, else uint8)' -x -a 'uint8 int16 uint16 int32 uint32 int64 uint64'
complete -c binade -n '__binade_is evaluate' -l tokenizer -d 'tokenizer.json: the text in --data becomes tokens of this byte-level BPE (default: one token per byte; of evaluate: that of the run)' -r -F
complete -c binade -n '__binade_is evaluate' -l batches -d 'validation batches (default 32)' -x
complete -c binade -n '__binade_is evaluate' -l tensors -d 'name the N tensors that increase the loss most (default 3; 0: none, which is faster)' -x
complete -c binade -n '__binade_is evaluate' -l threads -s j -d 'number of cores (default 1: small models gain nothing from more)' -x
complete -c binade -n '__binade_is evaluate' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is evaluate' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is evaluate' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is evaluate first' -F
complete -c binade -n '__binade_is evaluate others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a scan -d 'what the weights of a checkpoint lose in other formats'
complete -c binade -n '__binade_is scan' -l to -d 'candidates: formats (e4m3, bf16), or formats with scales (e4m3/row, mxfp8:floor, nvfp4:4/6, int8/row)' -x -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n '__binade_is scan' -l sqnr -d 'budget: every tensor keeps an SQNR of at least DB decibels' -x
complete -c binade -n '__binade_is scan' -l max-underflow -d 'budget: in every tensor at most this share of the nonzero weights becomes zero (0 to 1)' -x
complete -c binade -n '__binade_is scan' -l only -d 'scan tensors with such a name only (\'*.mlp.*\'); may be repeated' -x
complete -c binade -n '__binade_is scan' -l skip -d 'leave out tensors with such a name; may be repeated' -x
complete -c binade -n '__binade_is scan' -l vectors -d 'scan tensors with fewer than two dimensions, too'
complete -c binade -n '__binade_is scan' -l rows -d 'print the N worst tensors (default 10)' -x
complete -c binade -n '__binade_is scan' -l all -d 'print every tensor'
complete -c binade -n '__binade_is scan' -l ranges -d 'print the ranges and exponents of the weights, too'
complete -c binade -n '__binade_is scan' -l report -d 'write a page with the results as well: one file that opens in a browser' -r -F
complete -c binade -n '__binade_is scan' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is scan' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is scan' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is scan' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is scan' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is scan' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is scan first' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a sweep -d 'train recipes at several learning rates, and find the best for each'
complete -c binade -n '__binade_is sweep' -l model -d 'as train --list has them (default transformer)' -x -a 'quadratic linear logistic mlp student transformer gpt2 llama'
complete -c binade -n '__binade_is sweep' -l recipe -d 'recipes, separated by commas, or all; settings: base=bf16-amp,v=bf16,dact=e5m2:sr; or FILE.json (default fp32,bf16-amp,fp16-pure)' -x -a '(__fish_complete_list , "string split \" \" \"all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit\"")'
complete -c binade -n '__binade_is sweep' -l lr -d 'a range and its points, 1e-4..1e-1:7, or rates separated by commas (default 1e-4..1e-1, two points a decade)' -x
complete -c binade -n '__binade_is sweep' -l seeds -d 'seed pairs (initialisation, data): runs per recipe (default 1)' -x
complete -c binade -n '__binade_is sweep' -l optimizer -d 'as train --list has them (default adamw)' -x -a 'sgd momentum adagrad rmsprop adam adamw lion adafactor muon muon-original adam-mini'
complete -c binade -n '__binade_is sweep' -l betas -d 'decay rates (default of adamw 0.9,0.999)' -x
complete -c binade -n '__binade_is sweep' -l eps -d 'epsilon of the optimizer (default of adamw 1e-8)' -x
complete -c binade -n '__binade_is sweep' -l wd -d 'weight decay (default of adamw 0.01)' -x
complete -c binade -n '__binade_is sweep' -l clip -d 'clip gradients to this norm of all of them together (default: none)' -x
complete -c binade -n '__binade_is sweep' -l schedule -d 'of the learning rate: constant warmup warmup:N cosine wsd (default constant)' -x -a 'constant warmup warmup: cosine wsd'
complete -c binade -n '__binade_is sweep' -l steps -d 'steps per run (default 200 to 600, by model)' -x
complete -c binade -n '__binade_is sweep' -l seed-init -d 'seed of the initial weights (default 0)' -x
complete -c binade -n '__binade_is sweep' -l seed-data -d 'seed of data and batches (default 0)' -x
complete -c binade -n '__binade_is sweep' -l seed-rounding -d 'seed of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is sweep' -l batch -d 'batch size: rows or sequences per step (default 1 to 128, by model)' -x
complete -c binade -n '__binade_is sweep' -l micro-batches -d 'divide each rank\'s batch into K, whose gradients are added (recipe: accumulate=FORMAT)' -x
complete -c binade -n '__binade_is sweep' -l ranks -d 'divide the batch among K ranks, whose gradients are added (recipe: reduce=FORMAT/ORDER)' -x
complete -c binade -n '__binade_is sweep' -l inputs -d 'number of inputs of the MLP' -x
complete -c binade -n '__binade_is sweep' -l width -d 'width of a layer (default 64; mlp 128)' -x
complete -c binade -n '__binade_is sweep' -l depth -d 'number of layers (default 2)' -x
complete -c binade -n '__binade_is sweep' -l heads -d 'attention heads (default 4)' -x
complete -c binade -n '__binade_is sweep' -l context -d 'tokens per sequence (default 32)' -x
complete -c binade -n '__binade_is sweep' -l vocabulary -d 'number of different tokens (default 16; chain 32; or those of --data)' -x
complete -c binade -n '__binade_is sweep' -l tied -d 'the head shares the token embedding\'s weights'
complete -c binade -n '__binade_is sweep' -l config -d 'Hugging Face\'s config.json of a GPT-2 or Llama: the model and its sizes' -r -F
complete -c binade -n '__binade_is sweep' -l blocks -d 'options of a transformer\'s blocks: norm=rmsnorm,position=rope,mlp=swiglu,kv_heads=2,qk_norm,no_bias,... (default: the model\'s own)' -x
complete -c binade -n '__binade_is sweep' -l data -d 'training text (one token per byte), or tokens in .npy or .bin (default: drawn, --source)' -r -F
complete -c binade -n '__binade_is sweep' -l data-type -d 'of the tokens in --data, if it is not .npy: uint8, int16, uint16, int32, uint32, int64, uint64 (default: uint16 for .bin, else uint8)' -x -a 'uint8 int16 uint16 int32 uint32 int64 uint64'
complete -c binade -n '__binade_is sweep' -l tokenizer -d 'tokenizer.json: the text in --data becomes tokens of this byte-level BPE (default: one token per byte; of evaluate: that of the run)' -r -F
complete -c binade -n '__binade_is sweep' -l source -d 'drawn text, if there is no --data: copy (needs attention) or chain (does not) (default copy)' -x -a 'copy chain'
complete -c binade -n '__binade_is sweep' -l init -d 'initial weights, a .safetensors file as --dump-init writes it, or a folder of them (default: drawn)' -r -F
complete -c binade -n '__binade_is sweep' -l order -d 'the batch of each step, integers in .npy (default: in turn)' -r -F
complete -c binade -n '__binade_is sweep' -l recompute -d 'recompute layers in the backward pass: slower, less memory'
complete -c binade -n '__binade_is sweep' -l margin -d 'the tolerance of verdicts, in per cent of the loss above the irreducible loss (default 5)' -x
complete -c binade -n '__binade_is sweep' -l out -d 'keep the runs in this directory' -r -F
complete -c binade -n '__binade_is sweep' -l report -d 'also write the runs as a page, FILE.html' -r -F
complete -c binade -n '__binade_is sweep' -l keep-checkpoints -d 'with --out, keep the checkpoints of finished points, too'
complete -c binade -n '__binade_is sweep' -l statistics -d 'statistics of casts: none (faster), roles, or places (roles and places; default roles)' -x -a 'none roles places'
complete -c binade -n '__binade_is sweep' -l details -d 'also one row per recipe and learning rate, and the sensitivity to the learning rate'
complete -c binade -n '__binade_is sweep' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is sweep' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is sweep' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is sweep' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is sweep' -l help -s h -d 'print this text'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a cost -d 'estimate time, memory and FLOPs of training'
complete -c binade -n '__binade_is cost' -l params -d 'number of parameters: 70e9, 70B' -x
complete -c binade -n '__binade_is cost' -l tokens -d 'tokens to train on: 15e12, 15T' -x
complete -c binade -n '__binade_is cost' -l gpus -d 'number of GPUs or other machines (default 1)' -x
complete -c binade -n '__binade_is cost' -l gpu -d 'the machine; \'binade cost machines\' lists them; this: this machine, measured now' -x -a 'a100 a100-40gb h100 h100-pcie h200 h800 h20 rtx4090 b200 mi300x tpu-v5p this'
complete -c binade -n '__binade_is cost' -l format -s f -d 'format of the operands: bf16, fp8, mxfp4, ... (default bf16); tensor takes a list (default fp32)' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is cost' -l mfu -d 'model FLOPs utilization, the share of the peak that is reached: 0.5, 50% (default 0.4; flops: 1)' -x
complete -c binade -n '__binade_is cost' -l sparse -d 'peaks with 2:4 sparsity (two of four weights are zero)'
complete -c binade -n '__binade_is cost' -l model -d 'a transformer by name; \'binade cost models\' lists them; memory also takes a model of binade train: transformer, llama, mlp, linear, logistic, quadratic, student' -x -a 'gpt2 gpt2-medium gpt2-large gpt2-xl gpt3-175b gpt-neox-20b llama2-7b llama2-13b llama2-70b mistral-7b gemma-7b llama3-8b llama3-70b llama3-405b llama3.2-1b qwen2.5-7b qwen2.5-72b binade transformer llama mlp linear logistic quadratic student'
complete -c binade -n '__binade_is cost' -l layers -d 'number of layers, of a transformer without a name or instead of the model\'s' -x
complete -c binade -n '__binade_is cost' -l hidden -d 'hidden size of the transformer' -x
complete -c binade -n '__binade_is cost' -l heads -d 'number of attention heads' -x
complete -c binade -n '__binade_is cost' -l kv-heads -d 'number of heads of keys and values (default as --heads)' -x
complete -c binade -n '__binade_is cost' -l feed-forward -d 'inner size of the MLP (default 4 times hidden)' -x
complete -c binade -n '__binade_is cost' -l vocab -d 'vocabulary size' -x
complete -c binade -n '__binade_is cost' -l dropout -d 'whether it is trained with dropout (default as the model)' -x -a 'yes no'
complete -c binade -n '__binade_is cost' -l seq -d 'tokens per sequence (default the context of the model)' -x
complete -c binade -n '__binade_is cost' -l batch -d 'sequences per rank and step (default 1)' -x
complete -c binade -n '__binade_is cost' -l recipe -d 'a recipe, settings, or FILE.json: fp32, bf16-master, base=bf16-master,v=bf16 (default fp32); memory takes a list, or all' -x -a '(__fish_complete_list , "string split \" \" \"all fp32 tf32 fp16-pure bf16-pure e4m3-pure e5m2-pure fp16-amp-noscale fp16-amp-static fp16-amp bf16-amp bf16-master bf16-sr bf16-kahan bf16-kahan-pure fp8-unscaled fp8-unscaled+fp32 fp8-e4m3-unscaled fp8-e4m3-unscaled+fp32 fp8-unit fp8-unit+fp32 fp8-delayed fp8-delayed+fp32 fp8-current fp8-current+fp32 fp8-rowwise fp8-rowwise+fp32 fp8-block fp8-block+fp32 fp8-block-ue8m0 fp8-block-ue8m0+fp32 mxfp8 mxfp8+fp32 mxfp8-floor mxfp8-floor+fp32 mxfp8-norms mxfp8-norms+fp32 mxfp6 mxfp6+fp32 mxfp4 mxfp4+fp32 mxfp4-rceil mxfp4-rceil+fp32 mxfp4-sr-rht mxfp4-sr-rht+fp32 mxint8 mxint8+fp32 nvint4 nvint4+fp32 nvfp4 nvfp4+fp32 nvfp4-46 nvfp4-46+fp32 nvfp4-ue5m3 nvfp4-ue5m3+fp32 nvfp4-fwd nvfp4-fwd+fp32 fp4-all-the-way fp4-all-the-way+fp32 quartet2 quartet2+fp32 fp8-lm fp8-lm+fp32 adam8bit\"")'
complete -c binade -n '__binade_is cost' -l optimizer -d 'as train --list has them (default adamw)' -x -a 'sgd momentum adagrad rmsprop adam adamw lion adafactor muon muon-original adam-mini'
complete -c binade -n '__binade_is cost' -l zero -d 'ZeRO stage (default 0; fit: 3)' -x -a '0 1 2 3'
complete -c binade -n '__binade_is cost' -l ranks -d 'data-parallel ranks, over which ZeRO shards (default 1)' -x
complete -c binade -n '__binade_is cost' -l micro-batches -d 'a rank\'s batch is divided into K, whose gradients are added (default 1)' -x
complete -c binade -n '__binade_is cost' -l tp -d 'tensor-parallel machines, which share each layer (default 1)' -x
complete -c binade -n '__binade_is cost' -l recompute -d 'none; selective: scores of attention, as flash attention; full: layers (default none)' -x -a 'none selective full'
complete -c binade -n '__binade_is cost' -l days -d 'time that the machines work, in days (default 1)' -x
complete -c binade -n '__binade_is cost' -l memory -d 'memory of one machine, instead of --gpu: 80GB, 80GiB' -x
complete -c binade -n '__binade_is cost' -l result -d 'format of the matrix product (default that of the operands, at least 16 bits)' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is cost' -l peak -d 'dense FLOP/s of one machine, instead of --gpu: 400e12, 400T' -x
complete -c binade -n '__binade_is cost' -l bandwidth -d 'bytes per second of one machine, with --peak: 1.6TB' -x
complete -c binade -n '__binade_is cost' -l seconds -d 'time for --tokens, for example of one step: 0.35' -x
complete -c binade -n '__binade_is cost' -l tokens-per-second -d 'measured on all machines together, instead of --tokens and --seconds' -x
complete -c binade -n '__binade_is cost' -l width -d 'width of a model of binade train' -x
complete -c binade -n '__binade_is cost' -l depth -d 'layers of a model of binade train' -x
complete -c binade -n '__binade_is cost' -l context -d 'tokens per sequence, of a model of binade train' -x
complete -c binade -n '__binade_is cost' -l vocabulary -d 'vocabulary size' -x
complete -c binade -n '__binade_is cost' -l inputs -d 'of the MLP' -x
complete -c binade -n '__binade_is cost' -l tied -d 'the head is the table of embeddings'
complete -c binade -n '__binade_is cost' -l blocks -d 'options of a transformer\'s blocks, as binade train takes them' -x
complete -c binade -n '__binade_is cost' -l svg -d 'memory and roofline: a picture in FILE (- is standard output), and nothing else' -r -F
complete -c binade -n '__binade_is cost' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is cost' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is cost' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is cost first' -a 'time mfu fit memory flops tensor roofline machines models'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a vectors -d 'write test vectors, and find the rule that an implementation follows'
complete -c binade -n '__binade_is vectors' -l op -d 'convert add sub mul div sqrt fma rem, another operation of calc, dot:N, mxdot' -x -a 'convert add sub mul div sqrt fma rem min max dot:4 mxdot'
complete -c binade -n '__binade_is vectors' -l in -d 'format of the operands, or one for each' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is vectors' -l out -d 'format of the result (default that of the first operand)' -x -a 'fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16'
complete -c binade -n '__binade_is vectors' -l count -s n -d 'N drawn cases instead of a level; check: only with CMD' -x
complete -c binade -n '__binade_is vectors' -l level -d '1 or 2: combinations of boundary values, then drawn cases; all: every combination of codes (default 1)' -x -a '1 2 all'
complete -c binade -n '__binade_is vectors' -l round -s r -d 'rounding: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal, N random bits (default rne; N 32)' -x -a 'rne rna rtz rup rdn rto sr sra srb sr-equal'
complete -c binade -n '__binade_is vectors' -l overflow -d 'what overflow gives: format saturate propagate format-max propagate-max (default format)' -x -a 'format saturate propagate format-max propagate-max'
complete -c binade -n '__binade_is vectors' -l nan -d 'the NaN of the result, as in show (default signed in conversions, else canonical); check also: bits (NaNs must be equal) or any (any NaN is accepted; default bits)' -x -a 'bits any default canonical signed ones signed-ones propagate x86'
complete -c binade -n '__binade_is vectors' -l flush -d 'what becomes zero: none; subnormals, in, out or both; tiny results, tiny or in-tiny (default none)' -x -a 'none in out both tiny in-tiny'
complete -c binade -n '__binade_is vectors' -l tininess -d 'underflow is detected before or after rounding (default after)' -x -a 'before after'
complete -c binade -n '__binade_is vectors' -l dialect -d 'the rule of a library, such as torch; explicit options override it (default none)' -x -a 'ml_dtypes ml_dtypes-saturate cuda-satfinite cuda-nosat cuda-satfinite-rz cuda-nosat-rz onnx-saturate onnx-nosaturate torch torch-2.11 ocp-sat ocp-nonsat p3109-satfinite p3109-satpropagate p3109-satnone'
complete -c binade -n '__binade_is vectors' -l seed -d 'seed for the random bits of stochastic rounding (default 0)' -x
complete -c binade -n '__binade_is vectors' -l memh -d 'one word per line, for Verilog\'s $readmemh'
complete -c binade -n '__binade_is vectors' -l lab-flags -d 'flags also have 32 saturated and 64 to-zero (default: the five of IEEE 754)'
complete -c binade -n '__binade_is vectors' -l flags -d 'flags to compare: none ieee all (default ieee, or all if the header has flags=lab)' -x -a 'none ieee all'
complete -c binade -n '__binade_is vectors' -l show -d 'mismatches to print in full (default 10)' -x
complete -c binade -n '__binade_is vectors' -l coverage -d 'print the coverage of the cases instead of the cases'
complete -c binade -n '__binade_is vectors' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is vectors' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is vectors' -l color -d 'colours: auto always never (default auto: on a terminal without NO_COLOR)' -x -a 'auto always never'
complete -c binade -n '__binade_is vectors' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is vectors first' -a 'gen check'
complete -c binade -n '__binade_is vectors others' -F
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a verify -d 'compare this build with an independent reference'
complete -c binade -n '__binade_is verify/prove' -l format -s f -d 'formats, separated by commas: built-in (fp16, e4m3), P3109 (binary8p3se), custom (e6m9, e5m10b12fn), groups (all ieee ocp fnuz p3109 p3109-all mx); no value sets, which have no codes' -x -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n '__binade_is verify/prove' -l round -s r -d 'modes, separated by commas: rne rna rtz rup rdn rto sr:N sra:N srb:N sr-equal (default the first six)' -x -a '(__fish_complete_list , "string split \" \" \"rne rna rtz rup rdn rto sr sra srb sr-equal\"")'
complete -c binade -n '__binade_is verify/prove' -l overflow -d 'what overflow gives: format saturate propagate format-max propagate-max (default format)' -x -a 'format saturate propagate format-max propagate-max'
complete -c binade -n '__binade_is verify/prove' -l check -d 'checks, separated by commas: decode decimal encode midpoints from-float arrays convert unary binary fma functions bits (default all)' -x -a '(__fish_complete_list , "string split \" \" \"decode decimal encode midpoints from-float arrays convert unary binary fma functions bits\"")'
complete -c binade -n '__binade_is verify/prove' -l exhaustive -d 'all floats, all pairs up to 16 bits, all triples up to 8 bits: takes hours'
complete -c binade -n '__binade_is verify/prove' -l state -d 'how far the run is, saved each second: the same command continues from there; removed at the end' -r -F
complete -c binade -n '__binade_is verify/prove' -l threads -s j -d 'number of cores (default all)' -x
complete -c binade -n '__binade_is verify/prove' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is verify/prove' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is verify/prove' -l csv -d 'comma-separated values instead of text'
complete -c binade -n '__binade_is verify/prove' -l help -s h -d 'print this text'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a bench -d 'measure the speed of conversions, relative to a memory copy'
complete -c binade -n '__binade_is bench' -l format -s f -d 'formats, separated by commas: built-in (fp16, e4m3), P3109 (binary8p3se), custom (e6m9, e5m10b12fn), value sets (p11emin-14emax15), groups (all ieee ocp fnuz p3109 p3109-all mx)' -x -a '(__fish_complete_list , "string split \" \" \"fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz e4m3ieee e3m4 e4m3b11fnuz e8m0 ue5m3 ue4m3 e2m3 e3m2 e2m1 dlfloat16 all ieee ocp fnuz p3109 p3109-all mx\"")'
complete -c binade -n '__binade_is bench' -l case -d 'the cases whose names have all of these words (default all)' -x
complete -c binade -n '__binade_is bench' -l size -d 'L1, L2, memory (beyond the last cache), numbers of elements; gemm (256 x 256 matrix products, vs OpenBLAS), call (single operations, vs fmaf), tensor (models, vs PyTorch), train (training steps: fp32 vs PyTorch, recipes vs fp32); separated by commas (default L1,L2,memory,gemm,call,tensor)' -x -a '(__fish_complete_list , "string split \" \" \"L1 L2 memory gemm call tensor train\"")'
complete -c binade -n '__binade_is bench' -l backend -d 'best portable avx2 avx512 neon wasm128, separated by commas; all: every one that this machine can run (default BINADE_BACKEND, or best)' -x -a '(__fish_complete_list , "string split \" \" \"all best portable avx2 avx512 neon wasm128\"")'
complete -c binade -n '__binade_is bench' -l threads -s j -d 'number of cores; 0: all, or BINADE_THREADS (default 1; beyond the caches 1, then all)' -x
complete -c binade -n '__binade_is bench' -l data -d 'normal: normally distributed numbers; hard: random bits, with NaNs, infinities and subnormals among them (default normal)' -x -a 'normal hard'
complete -c binade -n '__binade_is bench' -l rounds -d 'medians of at most N rounds, 1 to 101 (default 51)' -x
complete -c binade -n '__binade_is bench' -l seconds -d 'time limit per row, after at least three rounds (default 2)' -x
complete -c binade -n '__binade_is bench' -l list -d 'print the names of the cases instead of measuring them'
complete -c binade -n '__binade_is bench' -l progress -d 'show progress: auto always never (default auto: on a terminal, after a second)' -x -a 'auto always never'
complete -c binade -n '__binade_is bench' -l json -d 'JSON instead of text'
complete -c binade -n '__binade_is bench' -l help -s h -d 'print this text'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a page -d 'open the page: formats, arrays and training in a browser'
complete -c binade -n '__binade_is page' -l path -d 'print the path of the page; open nothing'
complete -c binade -n '__binade_is page' -l help -s h -d 'print this text'
complete -c binade -n 'test (count (commandline -opc)) -eq 1' -a help -d 'the list of commands, or the page of one'
complete -c binade -n '__binade_is help' -l full -d 'the whole man page of a command, as text'
complete -c binade -n '__binade_is help' -l examples -d 'the examples of a command, or of all, as shell commands'
complete -c binade -n '__binade_is help' -l roff -d 'a man page: a command\'s, or binade\'s' -x
complete -c binade -n '__binade_is help' -l completion -d 'a completion script for bash, zsh or fish' -x -a 'bash zsh fish'
complete -c binade -n '__binade_is help' -l help -s h -d 'print this text'
complete -c binade -n '__binade_is help first' -a 'show formats table range block calc cast lint quantize relayout diff train compare report evaluate scan sweep cost vectors verify bench page help'
complete -c binade -n '__binade_is help others' -a 'show formats table range block calc cast lint quantize relayout diff train compare report evaluate scan sweep cost vectors verify bench page help'
