"""`python -m commonplace` is `commonplace`."""

from commonplace.surfaces.cli import main

main()
