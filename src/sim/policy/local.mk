# Layer 6: which part of a training run has which format, as data.
labinclude_HEADERS += include/binade-lab/policy.h
libbinade_laboratory_la_SOURCES += \
	src/sim/policy/policy.h \
	src/sim/policy/role.c \
	src/sim/policy/part.c \
	src/sim/policy/selector.c \
	src/sim/policy/recipe_pieces.h \
	src/sim/policy/recipe_pieces.c \
	src/sim/policy/recipe_cast.c \
	src/sim/policy/recipes.def \
	src/sim/policy/recipe.c \
	src/sim/policy/layers.c \
	src/sim/policy/policy_text.c
