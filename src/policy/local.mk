# Layer 6: which part of a training run has which format, as data.
binadeinclude_HEADERS += include/binade/policy.h
libbinade_internal_la_SOURCES += \
	src/policy/part.c \
	src/policy/policy.h \
	src/policy/recipe.c \
	src/policy/recipes.def \
	src/policy/role.c \
	src/policy/text.c
