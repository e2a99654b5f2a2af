"""The hinge loss of pairs along a path of penalties, in O(n log n) an evaluation, certified."""
