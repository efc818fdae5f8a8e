"""When to use which congestion control: a path and a job in, advice with its evidence out."""
