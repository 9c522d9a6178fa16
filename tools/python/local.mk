# binade.py, one file on ctypes and numpy. It goes to $(pkgdatadir)/python, which PYTHONPATH must name, or to where
# configure --with-pythondir=DIR (or make install pythondir=DIR) says.
dist_python_DATA = tools/python/binade.py
# The package libbinade: _types.py is written by tools/dev/make-python-types.
EXTRA_DIST += tools/python/libbinade/__init__.py tools/python/libbinade/_native.py tools/python/libbinade/_types.py
EXTRA_DIST += tools/python/libbinade/_lab.py tools/python/libbinade/checkpoints.py
