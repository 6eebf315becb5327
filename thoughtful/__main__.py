"""``python -m thoughtful``: the command line."""

from thoughtful.command_line import main

if __name__ == "__main__":
    main()
