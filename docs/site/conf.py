"""How Sphinx makes the site of these pages: `make docs`."""

from __future__ import annotations

from dumbbell.version import __version__

project = "dumbbell"
copyright = "the dumbbell authors, Apache-2.0"  # noqa: A001 (Sphinx's name)
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["site", "figures"]
suppress_warnings = ["toc.not_included"]  # validation.md links to the page of each part
nitpicky = False  # types of signatures need no page; what a page links to must be there (-W)

myst_heading_anchors = 4  # as GitHub makes them, so that a link works there and here
myst_enable_extensions = ["colon_fence"]

default_role = "code"  # docstrings have names in single backticks
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "exclude-members": "model_config, model_post_init"}

html_theme = "furo"
html_title = f"dumbbell {release}"
html_static_path = ["static"]
html_css_files = ["page.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
