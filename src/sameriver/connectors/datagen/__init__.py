"""The ``datagen`` connector: rows made up."""

from sameriver.connectors.datagen.connector import DATAGEN

__all__ = ["DATAGEN"]
