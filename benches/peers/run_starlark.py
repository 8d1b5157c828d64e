"""Runs Starlark's Rust implementation: its own program loads a module once for each `load`, which
makes several types of one record.

    run_starlark.py eval MAIN   print the value of `output` as JSON
    run_starlark.py version     print the version
"""

import json
import os
import sys
import threading
from importlib.metadata import version

import starlark

if sys.argv[1] == "version":
    print("starlark-rust by starlark-pyo3", version("starlark-pyo3"))
    sys.exit()

folder = os.path.dirname(os.path.abspath(sys.argv[2]))
dialect = starlark.Dialect.extended()
dialect.enable_types = starlark.DialectTypes.ENABLE
extensions = starlark.LibraryExtension
standard = starlark.Globals.extended_by([extensions.RecordType, extensions.Typing])
loaded = {}


def load(name):
    if name not in loaded:
        loaded[name] = run(name).freeze()
    return loaded[name]


loader = starlark.FileLoader(load)


def run(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        tree = starlark.parse(name, file.read(), dialect)
    module = starlark.Module()
    starlark.eval(module, tree, standard, loader)
    return module


def main():
    json.dump(run(os.path.basename(sys.argv[2]))["output"], sys.stdout)


# A load runs inside the load before it: a long chain needs room.
sys.setrecursionlimit(100_000)
threading.stack_size(1 << 29)
thread = threading.Thread(target=main)
thread.start()
thread.join()
