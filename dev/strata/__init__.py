"""Two engines over conditions that are drawn at random, in named strata, by the bands of each."""
