"""Curves of scores and texts of fitted models, which records keep beside numbers.

A curve is made of the test part and one column of scores, a text of a fitted estimator. Each is
one file in `curves` or `texts`; another package adds its own by the entry points
``rankexp.keep.curves`` and ``rankexp.keep.texts``. A study names them in ``keep`` of an
experiment, and a record holds them under a `KeptName`.

>>> from rankexp.keep.key import KeptName
>>> str(KeptName("iroc", 0)), str(KeptName("iroc"))
('iroc:0', 'iroc:bayes')
>>> KeptName.parse("iroc:bayes") == KeptName("iroc")
True
"""
