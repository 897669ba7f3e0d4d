create table outbox (
  id      bigint generated always as identity primary key,
  topic   text not null,
  payload jsonb not null,
  sent_at timestamptz
);
create index outbox_unsent on outbox (id) where sent_at is null;
