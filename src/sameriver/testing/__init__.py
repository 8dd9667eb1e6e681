"""Scripted streaming tests: ``.case`` files and folders of Flink's answers."""
