"""Prices come from the table that the importer fills at night."""

from .db import connect


def price_of(sku: str) -> dict | None:
    with connect(read_only=True) as db:
        row = db.execute(
            "select amount, currency from prices where sku = %s and valid @> now()", (sku,)
        ).fetchone()
    return {"amount": row[0], "currency": row[1]} if row else None
