"""Arrays in, arrays out: the optimisers behind the rankers, a folder a family.

``smooth`` minimises smooth losses over single examples, ``pairs`` over pairs that it never lists,
``hinge`` the hinge over pairs; ``ordinal`` has models with thresholds, ``boosting`` and ``trees``
what adds up or splits. A solver along a path of penalties returns a `PathResult`, in which a
certificate bounds how far each solution is from the minimum.
"""
