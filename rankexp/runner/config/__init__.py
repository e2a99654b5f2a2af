"""Studies as YAML files: their schema, and a loader whose errors name file, line and column.

A file becomes a `Study` in steps. `tree` reads values with their positions, `schema` says which
keys there are and of what type, `meaning` asks whether the names in it fit each other, `published`
reads the numbers of the paper. All faults of a file are told at once.
"""
