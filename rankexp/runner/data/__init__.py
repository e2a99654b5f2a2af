"""Real data: where it comes from, what was declared of it, and its preprocessing.

A source finds a table, every column as it stands. An entry of a study says which column is the
target and how its levels are ordered, and `build` makes a `Dataset` of both. `find` keeps what it
found and compares it with the declared fingerprint. `Preprocessor` learns from training rows.

>>> from rankexp.runner.config.data_entry import DataEntry
>>> from rankexp.runner.data.build import build
>>> from rankexp.runner.data.sources.bundled import from_sklearn
>>> kinds = ["virginica", "versicolor", "setosa"]
>>> entry = DataEntry(source={"sklearn": "iris"}, target="target", levels=kinds)
>>> iris = build("iris", from_sklearn("iris", entry, []), entry)
>>> iris.X.shape, iris.levels, iris.y[:3].tolist()
((150, 4), ('virginica', 'versicolor', 'setosa'), [2, 2, 2])
"""
