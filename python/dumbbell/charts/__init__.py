"""Charts: numbers first (`chart`), then ink (`paper` with matplotlib; `dumbbell.report` with plotly)."""
