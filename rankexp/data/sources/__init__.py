"""Where data sets come from: one file a source, `(reference, entry, folders) -> Table or None`."""
