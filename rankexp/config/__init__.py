"""Studies as YAML files: their schema, and a loader whose errors name file, line and column."""
