"""Single flows on both engines: loss epochs laid over one another, and what BBR says of itself.

The rest of the agreement compares what a run came to; this compares how it came to it.

>>> from dumbbell.agreement import curves  # doctest: +SKIP
>>> curves.section(json.loads(Path("curves.json").read_text()))  # doctest: +SKIP
"""

from dumbbell.agreement.curves.document import draw, section

__all__ = ["draw", "section"]
