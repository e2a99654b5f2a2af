"""One kind of table or figure a file; each is a model of its options with ``output``."""
