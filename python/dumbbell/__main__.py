"""`python -m dumbbell` is `dumbbell`."""

from dumbbell.cli.main import main

main()
