# Shared with tests/exhaustive/causes.
STUDY_CAUSES = tests/study/causes.c tests/study/causes.h
UNIT_TESTS += tests/study/test_study
tests_study_test_study_SOURCES = \
	$(STUDY_CAUSES) tests/study/test_autopsy.c tests/study/test_choice.c tests/study/test_compare.c tests/study/test_curve.c tests/study/test_damage.c \
	tests/study/test_ended.c tests/study/test_evaluate.c tests/study/test_failures.c tests/study/test_fork.c tests/study/test_killed.c \
	tests/study/test_records.c tests/study/resume.h tests/study/test_resume.c tests/study/test_resume_changed.c \
	tests/study/rows.h tests/study/test_runs.c tests/study/test_settings.c tests/study/test_statistics.c \
	tests/study/test_study.c tests/study/test_summary.c tests/study/test_sweep.c tests/study/tests.h
tests_study_test_study_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
