"""Carrying out the runs of an experiment, in order."""
