import os

import psycopg


def connect(read_only: bool = False) -> psycopg.Connection:
    db = psycopg.connect(os.environ["CATALOG_DATABASE_URL"])
    db.read_only = read_only
    return db
