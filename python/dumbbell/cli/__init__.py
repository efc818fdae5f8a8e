"""The command line: data on standard output, words on standard error.

A command imports what it works with when it works, so that its help is there at once.
"""
