-- What:
-- Why (ticket):
-- Safe while the old release runs, because:

set lock_timeout = '2s';
