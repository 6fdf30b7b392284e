import ast
import re
import threading

import schemathesis

# CPython up to 3.11.7 counts the depth of all parses of a process in one place: two workers that parse at once, as
# Hypothesis does to describe a function, end in a SystemError (github.com/python/cpython/issues/106905).
parse, parsing = ast.parse, threading.RLock()


def parse_alone(*args, **kwargs):
    with parsing:
        return parse(*args, **kwargs)


ast.parse = parse_alone

WELL_FORMED = re.compile(r"(\d{16}|\d{20}-\d{20})\Z")


@schemathesis.hook
def before_call(context, case, kwargs):
    """A position that is not there yet is answered 503 after 5 seconds, as documented: one that could be is made one that is."""
    headers = case.headers or {}
    if WELL_FORMED.match(str(headers.get("x-min-log-position", ""))):
        headers["x-min-log-position"] = "0" * 16
