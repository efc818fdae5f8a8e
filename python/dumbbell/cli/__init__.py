"""The command line: words in, calls of the library, tables and JSON out. Data on standard output, words on standard error."""
