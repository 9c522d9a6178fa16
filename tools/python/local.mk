# The Python package libbinade: Python alone, on ctypes. It goes to $(pkgdatadir)/python, which PYTHONPATH must name, or
# with configure --with-python to where that Python looks for packages (or make install pythondir=DIR). _installed.py tells
# it the folder of the libraries. _types.py is written by tools/dev/make-python-types.
PYTHON_PACKAGE = \
	tools/python/libbinade/__init__.py \
	tools/python/libbinade/_arrays.py \
	tools/python/libbinade/_checkpoint.py \
	tools/python/libbinade/_choices.py \
	tools/python/libbinade/_convert.py \
	tools/python/libbinade/_diff.py \
	tools/python/libbinade/_lab.py \
	tools/python/libbinade/_lint.py \
	tools/python/libbinade/_native.py \
	tools/python/libbinade/_options.py \
	tools/python/libbinade/_ranges.py \
	tools/python/libbinade/_records.py \
	tools/python/libbinade/_scan.py \
	tools/python/libbinade/_training.py \
	tools/python/libbinade/_types.py \
	tools/python/libbinade/_values.py \
	tools/python/libbinade/arrays.py \
	tools/python/libbinade/blocks.py \
	tools/python/libbinade/checkpoints.py \
	tools/python/libbinade/cost.py \
	tools/python/libbinade/evaluation.py \
	tools/python/libbinade/formats.py \
	tools/python/libbinade/numbers.py \
	tools/python/libbinade/products.py \
	tools/python/libbinade/py.typed \
	tools/python/libbinade/runs.py \
	tools/python/libbinade/shims/__init__.py \
	tools/python/libbinade/shims/mx_specs.py \
	tools/python/libbinade/shims/qtorch.py \
	tools/python/libbinade/testing/__init__.py \
	tools/python/libbinade/testing/_arguments.py \
	tools/python/libbinade/testing/_faults.py \
	tools/python/libbinade/testing/_inputs.py \
	tools/python/libbinade/testing/block.py \
	tools/python/libbinade/testing/cast.py \
	tools/python/libbinade/testing/decode.py \
	tools/python/libbinade/testing/gemm.py \
	tools/python/libbinade/torch/__init__.py \
	tools/python/libbinade/torch/_bridge.py \
	tools/python/libbinade/torch/_convolutions.py \
	tools/python/libbinade/torch/_handlers.py \
	tools/python/libbinade/torch/_ops.py \
	tools/python/libbinade/torch/_quantize.py \
	tools/python/libbinade/torch/_record.py \
	tools/python/libbinade/torch/_recurrent.py \
	tools/python/libbinade/torch/_scale.py \
	tools/python/libbinade/torch/_scopes.py \
	tools/python/libbinade/torch/_place.py \
	tools/python/libbinade/torch/_session.py \
	tools/python/libbinade/torch/_wrap.py \
	tools/python/libbinade/torch/optim.py
EXTRA_DIST += $(PYTHON_PACKAGE) tools/python/README.md tools/python/backend/libbinade_build.py tools/python/pyproject.toml tools/python/where-packages.py

# `make wheel` and `make sdist-python` write to tools/python/dist of the build folder, by the backend that pip calls, too.
PYTHON_BUILD = $${PYTHON:-python3} $(top_srcdir)/tools/python/backend/libbinade_build.py
.PHONY: wheel sdist-python
wheel: all
	$(AM_V_GEN)BINADE_BUILD=$(abs_builddir) $(PYTHON_BUILD) wheel tools/python/dist
sdist-python: dist
	$(AM_V_GEN)$(PYTHON_BUILD) sdist tools/python/dist $(distdir).tar.gz
CLEANFILES += tools/python/dist/*

install-data-local:
	@for file in $(PYTHON_PACKAGE); do \
		to=$(DESTDIR)$(pythondir)/`dirname $${file#tools/python/}`; \
		$(MKDIR_P) "$$to" && $(INSTALL_DATA) "$(top_srcdir)/$$file" "$$to/" || exit 1; \
	done
	echo 'LIBDIR = "$(libdir)"' >"$(DESTDIR)$(pythondir)/libbinade/_installed.py"

uninstall-local:
	rm -rf "$(DESTDIR)$(pythondir)/libbinade"
