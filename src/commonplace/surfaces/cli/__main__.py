"""`python -m commonplace.surfaces.cli` is `commonplace`."""

from commonplace.surfaces.cli import main

main()
