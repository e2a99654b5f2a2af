"""Jobs become records: evaluation, execution, the store and the manifest.

`execute` asks the store what is there, hands out jobs for what is missing, and keeps each record
as it comes. A job makes its data (`material`), fits every method's grid (`fitting`) and
measures (`evaluate`). Killing a run loses what was in flight; the next one does the rest.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> from rankexp.runner.config.load import load
>>> from rankexp.runner.config.shipped import shipped
>>> from rankexp.runner.run.execute import execute
>>> study = load(shipped()["example-own-data"], profile="quick")
>>> with TemporaryDirectory() as folder:
...     where = {"results": Path(folder), "folders": [shipped()["example-own-data"].parent]}
...     runs = [execute(study, **where, workers=1, quiet=True) for _ in range(2)]
>>> [(run.made, run.exit_code) for run in runs]
[(45, 0), (0, 0)]
"""
