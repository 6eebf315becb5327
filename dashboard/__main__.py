"""``python -m dashboard``: serve the dashboard of the catalogue named in the settings."""

import argparse

from dashboard.serve import serve


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m dashboard", description=__doc__)
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--address", default="localhost")
    chosen = parser.parse_args()
    serve(chosen.port, chosen.address)


if __name__ == "__main__":
    main()
