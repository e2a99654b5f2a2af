"""Verdicts on anyone's table of results: who ranks better, who is as good, who cannot be told.

`table` reads a long table of methods, data sets, splits and values; `judge` compares all pairs of
methods on each data set and over them; `shown` puts that into tables, a picture and sentences;
`command` is ``rankexp verdicts`` and `calls` the function ``rankexp.verdicts``.
"""
