"""Carrying out the runs of an experiment, in order."""

from dumbbell.campaign.stored import carry_out_into

__all__ = ["carry_out_into"]
