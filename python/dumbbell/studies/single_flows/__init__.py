"""Single flows on both engines: loss epochs laid over one another, and what BBR reports of itself.

The rest of the agreement compares what runs came to; this compares how they came to it, quantity by quantity, each with
a limit. The specs beside this file are the conditions.
"""
