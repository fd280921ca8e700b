"""What people look at and use: figures, tables, games in progress, widgets, the web page."""
