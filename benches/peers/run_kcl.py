"""Runs KCL's library: it has no program of its own in the wheel.

    run_kcl.py eval MAIN        print the outcome as JSON
    run_kcl.py fmt FILE         write the file in KCL's layout
    run_kcl.py version          print the version
"""

import sys
from importlib.metadata import version

import kcl_lib.api as api

if sys.argv[1] == "version":
    print("KCL", version("kcl-lib"))
elif sys.argv[1] == "fmt":
    api.API().format_path(api.FormatPathArgs(path=sys.argv[2]))
else:
    result = api.API().exec_program(api.ExecProgramArgs(k_filename_list=[sys.argv[2]]))
    if result.err_message:
        sys.exit(result.err_message)
    sys.stdout.write(result.json_result)
