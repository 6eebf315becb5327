"""``python -m dashboard``: serve the dashboard of the catalogue named in the settings."""

import argparse
import sys

from catalogue.interrupts import end_with_standard_input
from dashboard.serve import ADDRESS, serve, serve_api
from engine.errors import BadInput


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m dashboard", description=__doc__)
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--address", default=ADDRESS)
    parser.add_argument("--api", action="store_true", help="serve the HTTP API alone")
    parser.add_argument("--background", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.background:
        end_with_standard_input()
    try:
        (serve_api if chosen.api else serve)(chosen.port, chosen.address)
    except BadInput as error:
        print(f"dashboard: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
