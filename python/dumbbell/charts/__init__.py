"""Charts: numbers first (`chart`), then one description of the ink (`vega`), for print (`image`) and for pages."""
