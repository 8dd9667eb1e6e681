"""State on disk: checkpoints, savepoints, and the folder that holds them."""
