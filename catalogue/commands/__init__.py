"""The commands of `thoughtful`, a module for each of the things people come to do.

These modules load with every start of the program, so they import at their top only what is quick;
what a command needs beyond that it imports when it runs.
"""
