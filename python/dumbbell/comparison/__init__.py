"""Two sets of runs held against one another: two stores, two engines, or two congestion controls.

`compare` pairs stored runs by what they were asked for (`runs`, `pairs`, `differences`). `agree` carries out the same
conditions on two engines (`campaigns`), and holds the differences of each against bands (`agreement`), or how single
flows get there against limits (`curves`). `record` is what either came to.

>>> from dumbbell.comparison import differences, selection  # doctest: +SKIP
>>> compared = differences.compare(  # doctest: +SKIP
...     *selection.selections("before", "after"), selection.quantities(None)
... )
"""
