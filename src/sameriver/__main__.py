"""``python -m sameriver``."""

from sameriver.cli import main

main()
