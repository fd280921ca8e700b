"""The papers: printed numbers, computed numbers and their comparison; notebooks run, shown as slides and as a site."""
