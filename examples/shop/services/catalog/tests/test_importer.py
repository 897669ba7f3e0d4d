import io

from catalog import importer


def test_the_feed_may_begin_with_a_bom(tmp_path, monkeypatch):
    feed = tmp_path / "feed.csv"
    feed.write_bytes(b"\xef\xbb\xbfsku;amount_minor;currency\nA-1;1190;EUR\n")
    seen = []

    class Db:
        def __enter__(self):
            return self

        def __exit__(self, *args):
            return False

        def execute(self, sql, args=()):
            seen.append(args)

    monkeypatch.setattr(importer, "connect", Db)
    assert importer.run(str(feed)) == 1
    assert seen[-1] == ("A-1", 1190, "EUR")
