"""Settings of the documentation site; `make docs` builds it, with .ci/site_pages.py beside it."""

import os
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / ".ci"))

with (ROOT / "pyproject.toml").open("rb") as file:
    ABOUT = tomllib.load(file)
project = "rankexp"
author = "The rankexp developers"
release = ""
html_baseurl = ABOUT["tool"]["rankexp"]["documentation"]
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "site_pages",
]
exclude_patterns = ["conftest.py", "**/*.ipynb", "reference/api/*.examples"]
default_role = "code"
templates_path = ["_templates"]

autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": "BaseEstimator"}
autosummary_ignore_module_all = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"  # browsers draw it themselves: no script, nothing to fetch

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "backreferences_dir": "reference/api",
    "doc_module": ("rankexp",),
    "within_subsection_order": "site_pages.GalleryOrder",
    "remove_config_comments": True,
    "notebook_extensions": set(),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,  # pages do not depend on how long it took
    "parallel": int(os.environ.get("RANKEXP_DOCS_JOBS", "1")),
}

html_theme = "pydata_sphinx_theme"
html_title = "rankexp"
html_static_path = [str(ROOT / "docs" / "_static")]
html_css_files = ["site.css"]
toc_object_entries_show_parents = "hide"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_end": ["search-button-field", "theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"index": [], "**": ["page-toc"]},
    "footer_start": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
