"""The nightly import of the suppliers' feed."""

import argparse
import csv

from .db import connect

BATCH = 500


def run(feed: str) -> int:
    count = 0
    with open(feed, newline="", encoding="utf-8-sig") as f, connect() as db:
        db.execute("lock table prices in exclusive mode")
        for row in csv.DictReader(f, delimiter=";"):
            db.execute(
                "insert into prices (sku, amount, currency) values (%s, %s, %s)"
                " on conflict (sku) do update set amount = excluded.amount",
                (row["sku"], int(row["amount_minor"]), row["currency"]),
            )
            count += 1
    return count


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--feed", required=True)
    print(run(parser.parse_args().feed))
