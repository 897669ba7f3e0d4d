"""Products, prices and search."""
