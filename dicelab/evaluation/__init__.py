"""What given policies achieve: exactly, by simulation, against the best reply."""
