"""The explorer: the simulator in one page, for a browser. Here is what the page is made from."""
