"""Jobs become records: evaluation, execution, the store and the manifest."""
