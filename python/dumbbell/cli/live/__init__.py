"""A run in real time while it is measured: in the terminal, and on a page of this machine."""
