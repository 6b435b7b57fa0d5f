"""`python -m bench.peers`."""

import sys

from bench.peers import main

main(sys.argv[1:])
