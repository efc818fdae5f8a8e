"""Two sets of runs compared: two stores, two engines, or two congestion controls.

`compare` pairs stored runs by what they were asked for (`selection`, `pairs`, `differences`). `agree` runs the same
conditions on two engines (`campaigns`), and judges the differences of each by limits (`agreement`); `record` is what
came of it. `standing` says what lies outside of the conditions that the simulator was validated at (`strata`).

>>> from dumbbell.comparison import differences, selection  # doctest: +SKIP
>>> compared = differences.compare(  # doctest: +SKIP
...     *selection.selections("before", "after"), selection.quantities(None)
... )
"""
