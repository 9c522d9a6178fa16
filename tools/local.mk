# The two commands of the README, and what developers run.
EXTRA_DIST += \
	tools/check \
	tools/demo \
	tools/dev/amalgamation.head \
	tools/dev/api-pages.awk \
	tools/dev/check-builds \
	tools/dev/check-contracts \
	tools/dev/check-examples \
	tools/dev/check-fresh \
	tools/dev/check-freestanding \
	tools/dev/check-generated \
	tools/dev/dialect-table \
	tools/dev/screenshots.mjs \
	tools/dev/check-gpu.cu \
	tools/dev/check-tensor-cores.cu \
	tools/dev/tensor_instructions.def \
	tools/dev/check-headers \
	tools/dev/check-install \
	tools/dev/check-layers \
	tools/dev/check-order \
	tools/dev/check-links \
	tools/dev/check-lists \
	tools/dev/check-names \
	tools/dev/count-skipped \
	tools/dev/check-comments tools/dev/check-messages \
	tools/dev/check-words \
	tools/dev/phrases.awk \
	tools/dev/recipe-table \
	tools/dev/make-unicode-classes \
	tools/dev/command-table \
	tools/dev/phrases.tsv \
	tools/dev/check-version \
	tools/dev/erf-coefficients.py \
	tools/dev/demo.awk \
	tools/dev/lib.sh \
	tools/dev/link-pages \
	tools/dev/make-amalgamation \
	tools/dev/make-checkpoint-fixtures.py \
	tools/dev/names.awk \
	tools/dev/packages.sh \
	tools/dev/make-generated \
	tools/dev/make-page-pictures.mjs \
	tools/dev/make-goldens.py \
	tools/dev/make-python-types \
	tools/dev/make-large-checkpoint.py \
	tools/dev/make-training-goldens.py
