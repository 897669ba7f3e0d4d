alter table prices add column valid tstzrange not null default tstzrange(now(), null);
create index concurrently if not exists prices_valid on prices using gist (sku, valid);
