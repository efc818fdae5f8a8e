"""Two flows behind L4S queues and classic ones, as P. Heist and J. Morton measured them in namespaces (2020, 2021)."""
