"""Verdicts on anyone's table of results: who ranks better, who is as good, who cannot be told.

`table` reads a long table of methods, data sets, splits and values; `judge` compares all pairs of
methods on each data set and over them; `result` puts that into tables, a picture and sentences;
`command` has the function ``rankexp.verdicts``, and `verb` is ``rankexp verdicts``.
"""
