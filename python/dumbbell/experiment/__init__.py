"""What the runs of one experiment say: its points with their estimates."""
