# binade.py, one file on ctypes and numpy. It goes to $(pkgdatadir)/python, which PYTHONPATH must name, or to where
# configure --with-pythondir=DIR (or make install pythondir=DIR) says.
dist_python_DATA = tools/python/binade.py
