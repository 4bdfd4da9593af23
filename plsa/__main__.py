"""`python -m plsa` is the command `plsa`."""

import sys

from plsa.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
