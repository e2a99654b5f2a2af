"""What may make an answer worthless, and what to do about it: one diagnostic, one class.

Before anything is fitted, a diagnostic looks at the table; afterwards, at what was found. It
returns a sentence with its numbers, or nothing. Diagnostics change no number.
"""
