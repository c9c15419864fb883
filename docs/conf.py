"""The site: `make docs` builds it from this folder and from the docstrings, with no network."""

import rankone

project = "rankone"
release = rankone.__version__
copyright = "the rankone authors, MIT licence"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # the generated page of discrepancies may skip a level

smartquotes = False  # exact="plain" is code

html_theme = "furo"
html_title = "rankone"
html_copy_source = False
html_show_sphinx = False

default_role = "code"  # `name` in a docstring
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
copybutton_exclude = ".linenos, .gp, .go"
