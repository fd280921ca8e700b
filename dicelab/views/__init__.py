"""What people look at: figures, tables and maps of decisions."""
