"""The papers' question asked of one's own table, in one command: ``rankexp compare my.csv``.

`question` tells from the target what is asked: two values, ordered levels, or a number to rank by.
`methods` has the methods that fit it, each on pairs beside its like on points, and moves the ends
of grids on which a choice lies. `pilot` times them on small parts of the data, `budget` finds the
splits that the minutes allow. `session` writes all that as a `study`, a YAML file like any other,
and runs it; the block `pairs_or_points` of its report has the answer.

>>> from rankexp.runner.compare.question import ask
>>> asked = ask("left", {"no": 700, "yes": 200})
>>> asked.kind, asked.levels, asked.metric
('two', ['no', 'yes'], 'auc')
>>> print(asked.guesses[0])
'yes' is taken as the positive value of 'left' (200 of 900 rows); --positive changes it
"""
