"""Two engines held against one another, condition by condition: differences, bands, and the reference's own noise.

>>> from dumbbell.agreement import gathering, judgement  # doctest: +SKIP
>>> sides = gathering.Sides(engine("sim"), engine("linux"), seeds=3, floor=3)  # doctest: +SKIP
>>> agreement = judgement.judged(gathering.carry_out(store, experiments, sides), sides, source)  # doctest: +SKIP
"""
