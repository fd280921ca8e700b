"""What people look at: figures, tables, maps of decisions, rules and values in sentences."""
