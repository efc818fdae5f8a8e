"""Stored runs held against one another, pair by pair: two stores, two engines, or two congestion controls.

>>> from dumbbell.comparison import differences, selection  # doctest: +SKIP
>>> found = differences.compare(*selection.selections("before", "after"), selection.quantities(None))  # doctest: +SKIP
"""
