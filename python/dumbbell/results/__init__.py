"""Results: the form in which runs are printed and kept, and whether they can be trusted."""
