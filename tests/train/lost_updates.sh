#!/bin/sh
# Lost updates against a model of the update in numpy, asked as tests/store/numpy.sh asks it.
top=$(cd "$(dirname "$0")/../.." && pwd)
exec "${SHELL:-sh}" "$top/tests/store/numpy.sh" "$top/tests/train/lost_updates.py"
