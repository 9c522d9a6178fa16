"""What runs, costs and checkpoints share: paths, threads, results as dictionaries, and long calls that Ctrl-C ends."""
import _thread
import ctypes
import html
import math
import os
import threading

from . import _types
from ._native import Error, call, lib, text
from ._values import printed


class Result(dict):
    """An answer: a dictionary whose keys are attributes, too. Keys and values are those of the command's --json; a
    number that is not known is NaN."""

    _list = None  # the key of its main list

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self)}") from None

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self))

    @property
    def columns(self):
        """The main list as columns, a numpy array per key: pandas.DataFrame(result.columns) is its table."""
        if self._list is None:
            raise AttributeError(f"{type(self).__name__} has no list")
        return columns_of(self[self._list])

    def __repr__(self):
        parts = [f"{key}: {len(value)}" if isinstance(value, list) else f"{key}={value!r}"
                 for key, value in self.items() if not isinstance(value, dict)]
        return f"{type(self).__name__}({', '.join(parts)})"


class Table:
    """A result that is shown as the rows of `_cells`, the first of which are headings."""

    def _cells(self):
        raise NotImplementedError

    def __repr__(self):
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)

    def _repr_html_(self):
        cells = self._cells()
        rows = ["".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
                for tag, row in zip(["th"] + ["td"] * (len(cells) - 1), cells)]
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def columns_of(rows):
    """Rows of dictionaries as a numpy array per key. What is not a number or a text is kept as it is."""
    import numpy as np
    keys = {key: None for row in rows for key in row}
    found = {}
    for key in keys:
        values = [row.get(key, math.nan) for row in rows]
        plain = all(isinstance(v, (bool, int, float, str)) for v in values)
        array = np.array(values) if plain and values else np.empty(len(values), dtype=object)
        if array.dtype == object or (array.dtype.kind == "U" and not all(isinstance(v, str) for v in values)):
            array = np.empty(len(values), dtype=object)
            array[:] = values
        found[key] = array
    return found


def path_of(path, what="the path"):
    """The name of a file as the library takes it."""
    try:
        name = os.fsencode(path)
    except TypeError:
        raise TypeError(f"{what} must be a str or a path, not {type(path).__name__}") from None
    if b"\0" in name:
        raise ValueError(f"{what} has a NUL character in it")
    if not name:
        raise ValueError(f"{what} is empty")
    return name


def texts_of(values, what):
    """One text or several, as a list of texts."""
    if not isinstance(values, str) and not hasattr(values, "__iter__"):
        raise TypeError(f"{what} must be a str or several, not {type(values).__name__}")
    values = [values] if isinstance(values, str) else list(values)
    for value in values:
        text(value, what)
    return values


def shape_at(address, rank):
    """A shape that the library has, as a tuple."""
    return tuple((ctypes.c_uint64 * rank).from_address(address)) if rank else ()


def call_about(where, *arguments):
    """A call about a file, or something else with a name, which begins the message."""
    try:
        call(*arguments)
    except Error as why:
        raise Error(why.status, why.where, f"{where}: {why}") from None


def lines_of(name, *arguments):
    """The lines of an answer in words, which a call of this name writes one by one."""
    found, line = [], printed(name, *arguments, 0)
    while line:
        found.append(line)
        line = printed(name, *arguments, len(found))
    return found


class Handle:
    """An object of the library, freed with the last reference to this one."""

    def __init__(self, free):
        self._free, self.value = free, ctypes.c_void_p()

    @property
    def out(self):
        return ctypes.byref(self.value)

    def __del__(self):
        if self.value:
            getattr(lib, self._free)(self.value)


class Stop:
    """Whether a long call goes on: no longer after Ctrl-C, or after a callback that raised or returned False."""

    def __init__(self, progress=None):
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a function, not {type(progress).__name__}")
        self.wanted, self.failure, self._progress = False, None, progress

    def __call__(self, *arguments):
        if not self.wanted and self._progress is not None:
            try:
                if self._progress(*arguments) is False:  # Ctrl-C may set `wanted` meanwhile: it is never taken back
                    self.wanted = True
            except BaseException as failure:  # it is raised where the call was made, not in a thread of the library
                self.failure, self.wanted = failure, True
        return not self.wanted

    def watch(self):
        """As bnd_watch. Keep the result as long as the call runs."""
        function = dict(_types.bnd_watch._fields_)["at"]
        return _types.bnd_watch(at=function(lambda _, done, total: self(done, total)))


def interruptible(work, stop):
    """Returns work(), done by another thread: Python handles Ctrl-C in this one meanwhile, and `stop` ends the work."""
    ended, done, interrupted, begun = [], threading.Event(), False, False
    first = threading.Lock()  # Ctrl-C just after a start can lead to a second one, which does nothing

    def run():
        if not first.acquire(blocking=False):
            return
        try:
            ended.append((work(), None))
        except BaseException as failure:
            ended.append((None, failure))
        done.set()

    while not done.is_set():
        try:
            if not begun:
                _thread.start_new_thread(run, ())
                begun = True
            done.wait(0.1)  # a signal just before the wait does not end it
        except KeyboardInterrupt:
            stop.wanted = interrupted = True
    value, failure = ended[0]
    if stop.failure is not None:
        raise stop.failure
    if interrupted:
        raise Interrupted(value) from None
    if failure is not None:
        raise failure
    return value


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a long call. `made` is what was complete by then, or None."""

    def __init__(self, made=None):
        super().__init__("stopped by Ctrl-C")
        self.made = made


def recipes_of(recipe):
    """Names and policies of recipes: a text as --recipe takes it (names with commas between, settings, FILE.json,
    "all"), or several. A name that is there already is not added again."""
    found = {}
    for given in texts_of(recipe, "recipe"):
        rest = given.encode()
        while True:
            length = lib.bnd_recipe_list_first(rest)
            names = ([lib.bnd_recipe_name(i) for i in range(lib.bnd_recipe_count())] if rest[:length] == b"all"
                     else [rest[:length]])
            for text_of_it in names:
                name, policy = ctypes.create_string_buffer(_types.BND_RECORD_NAME_SIZE), _types.bnd_policy()
                call("bnd_recipe_choose_n", ctypes.byref(policy), name, text_of_it, len(text_of_it))
                found.setdefault(name.value.decode("utf-8", "replace"), policy)
            if length == len(rest):
                break
            rest = rest[length + 1:]
    if not found:
        raise ValueError("recipe must name at least one recipe")
    return list(found.items())
