-- The databases beside this file are made from it with the sqlite3 shell or
-- Python's sqlite3: plain.db as it stands, wal.db in WAL mode with the last
-- statement uncheckpointed, utf16.db with "PRAGMA encoding='UTF-16le'" first.
PRAGMA user_version = 7;
CREATE TABLE things (
  id TEXT PRIMARY KEY, -- a comment, with a comma
  "odd name" TEXT DEFAULT '(,)',
  n INTEGER,
  f REAL,
  b BLOB,
  PRIMARY_COLOUR TEXT,
  CHECK (n > -9000000000000000000)
);
CREATE TABLE numbered (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE keyed (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID;
CREATE INDEX things_n ON things(n);
