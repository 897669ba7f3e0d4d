create table charge_keys (
  order_id uuid primary key,
  key      uuid not null,
  made_at  timestamptz not null default now()
);
