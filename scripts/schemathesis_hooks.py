import re

import schemathesis

WELL_FORMED = re.compile(r"(\d{16}|\d{20}-\d{20})\Z")


@schemathesis.hook
def before_call(context, case, kwargs):
    """A position that is not there yet is answered 503 after 5 seconds, as documented: one that could be is made one that is."""
    headers = case.headers or {}
    if WELL_FORMED.match(str(headers.get("x-min-log-position", ""))):
        headers["x-min-log-position"] = "0" * 16
