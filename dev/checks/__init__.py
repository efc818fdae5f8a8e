"""Experiments whose figures have bars that were set before they were measured."""
