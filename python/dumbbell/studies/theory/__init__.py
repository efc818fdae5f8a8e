"""Closed forms of congestion control: what theory says of CUBIC, Reno and BBR, and what the engines do."""
