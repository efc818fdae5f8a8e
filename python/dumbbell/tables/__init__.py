"""Tables: values with units, in rows. How they look on a terminal, on a page, in Markdown and CSV stands here only."""
