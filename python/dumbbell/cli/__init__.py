"""The command line: data on standard output, words on standard error."""
