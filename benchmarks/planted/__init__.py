"""Invented files with planted identifiers under headers that a program may trust, and an eye that looks for them.

It shares no code with ``benchmarks.strangers``. What must not be found comes from what was
planted, never from the program.
"""
