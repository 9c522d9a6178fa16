# The command. It sees the installed API and nothing else of the library.
bin_PROGRAMS += binade
binade_CPPFLAGS = $(PUBLIC_CPPFLAGS) $(POSIX_CPPFLAGS)
binade_LDADD = libbinade.la
binade_SOURCES = \
	tools/binade/arguments.c \
	tools/binade/cmd_formats.c \
	tools/binade/cmd_help.c \
	tools/binade/cmd_range.c \
	tools/binade/cmd_show.c \
	tools/binade/cmd_table.c \
	tools/binade/command.h \
	tools/binade/explain.c \
	tools/binade/help.c \
	tools/binade/look.c \
	tools/binade/look.h \
	tools/binade/main.c \
	tools/binade/options.c \
	tools/binade/print.c \
	tools/binade/print.h \
	tools/binade/value.c \
	tools/binade/value.h
