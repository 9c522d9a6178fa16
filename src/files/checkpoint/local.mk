# Layer 7: checkpoints: their files, layouts and weights.
labinclude_HEADERS += include/binade-lab/checkpoint.h
