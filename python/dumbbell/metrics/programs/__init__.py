"""What programs say of themselves: a reader a kind of program, each of which makes the same report."""
