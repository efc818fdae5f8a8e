"""The charts of one experiment, whatever it is about: the same on a page, in print and in a notebook."""
