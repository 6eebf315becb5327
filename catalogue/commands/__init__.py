"""The commands of `thoughtful`, one module for each task of a user.

These modules are loaded at every start of the program, so they import only what loads quickly at
the top, and everything else inside the commands.
"""
