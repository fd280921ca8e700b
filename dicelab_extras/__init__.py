"""What goes beyond solving: learning. The library, `dicelab`, does not know it; neither do extras know each other."""
