"""Carrying out the runs of an experiment, in order."""

from dumbbell.campaign.execution import run_campaign

__all__ = ["run_campaign"]
