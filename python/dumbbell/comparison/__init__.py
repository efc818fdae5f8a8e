"""Stored runs held against one another, pair by pair: two stores, two engines, or two congestion controls.

>>> from dumbbell.comparison import judgement, selection  # doctest: +SKIP
>>> found = judgement.compare(*selection.selections("before", "after"))  # doctest: +SKIP
"""
