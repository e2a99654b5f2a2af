"""What may make an answer worthless, and what to do about it: one diagnostic, one class."""
