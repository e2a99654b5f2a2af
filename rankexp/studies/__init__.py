"""The wings: what one study alone needs, one folder a study.

A wing has rooms like the runner's and the library's: ``checks``, ``blocks``, ``thresholds``,
``bounds``. The registry finds what they declare, so a study names it like anything else. Nothing
outside a wing imports from it; deleting its folder takes away its study and nothing else.
"""
