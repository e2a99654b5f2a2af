"""Jobs become records: evaluation, execution, the store and the manifest.

`execute` asks the store what is there, hands out jobs for what is missing, and keeps each record
as it comes. A job makes its data (`material`), fits every method's grid (`fitting`) and
measures (`evaluate`). Killing a run loses what was in flight; the next one does the rest.
"""
