"""The commands of `thoughtful`, each in a module of its name; `thoughtful.terminal` serves them.

They are loaded at every start of the program, so they import only what loads quickly at the top,
and everything else inside the commands.
"""
