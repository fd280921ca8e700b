"""The rules of games as data: Game and its parts (model), the known games (catalogue), past the target (absorption)."""
