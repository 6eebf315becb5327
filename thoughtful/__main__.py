"""``python -m thoughtful``: the command line."""

from catalogue.cli import main

if __name__ == "__main__":
    main()
