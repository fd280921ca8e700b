"""``python -m dicelab``: the command line."""

from .cli import main

main()
