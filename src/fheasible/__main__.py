"""`python -m fheasible` is the command `fheasible`."""

import sys

from fheasible_start import main

if __name__ == "__main__":
    sys.exit(main())
