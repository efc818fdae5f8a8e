"""Hosts that SSH reaches: which they are, and what they answer."""
