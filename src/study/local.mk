# Layer 9: many runs.
binadeinclude_HEADERS += include/binade/study.h
