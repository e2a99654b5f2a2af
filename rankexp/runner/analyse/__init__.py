"""From records to numbers: the long frame, selection, statistics, verdicts.

Nothing is fitted here. Records hold every grid point, so a rule of choice is a function of their
long frame, and several rules can stand side by side. What is chosen is compared by the design that
the protocol has: models that are independent, or splits whose training parts overlap.
"""
