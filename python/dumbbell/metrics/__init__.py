"""What a measurement means: pure functions from counters, gauges and histograms to numbers, the same for every engine.

A number that does not exist (nothing was sent, no sample lies in the window) is None, never 0 and never NaN.
"""
