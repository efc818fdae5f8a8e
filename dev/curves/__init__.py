"""Single flows on two engines: how they get where they end, by limits that were set before anything was measured."""
