from .db import connect


def search(query: str, limit: int = 20) -> list[dict]:
    """Full-text search; an empty query lists what sold best this week."""
    with connect(read_only=True) as db:
        if not query.strip():
            rows = db.execute("select sku, title from bestsellers limit %s", (limit,))
        else:
            rows = db.execute(
                "select sku, title from products where text @@ websearch_to_tsquery('simple', %s) limit %s",
                (query, limit),
            )
        return [{"sku": sku, "title": title} for sku, title in rows]
