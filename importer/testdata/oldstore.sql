-- oldstore.db is made from this with Python's sqlite3 or the sqlite3 shell, in
-- WAL mode; the last statement stands in oldstore.db-wal only. The text is made up.
PRAGMA user_version = 3;
CREATE TABLE workspaces (id TEXT PRIMARY KEY, name TEXT NOT NULL, local_root_path TEXT, created_at TEXT NOT NULL);
CREATE TABLE nodes (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, parent_id TEXT, name TEXT NOT NULL, type TEXT NOT NULL, relative_path TEXT NOT NULL,
  order_index INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL DEFAULT 'active', orphaned_at TEXT, original_path TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE memories (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, node_id TEXT NOT NULL DEFAULT '', title TEXT NOT NULL, content TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'claude', version_id TEXT NOT NULL, version_number INTEGER NOT NULL DEFAULT 1, created_by TEXT, last_edited_by TEXT,
  last_edited_at TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active');
CREATE TABLE rules (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL, scope_type TEXT NOT NULL,
  priority TEXT NOT NULL DEFAULT 'medium', version_id TEXT NOT NULL, version_number INTEGER NOT NULL DEFAULT 1, created_by TEXT, last_edited_by TEXT,
  last_edited_at TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active');
CREATE TABLE skills (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT, content TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'manual', github_url TEXT, version TEXT NOT NULL DEFAULT '1.0.0', tags TEXT NOT NULL DEFAULT '[]', version_id TEXT NOT NULL,
  version_number INTEGER NOT NULL DEFAULT 1, created_by TEXT, last_edited_by TEXT, last_edited_at TEXT NOT NULL, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, content_fetched_at TEXT, status TEXT NOT NULL DEFAULT 'active');
CREATE TABLE node_rules (node_id TEXT NOT NULL, rule_id TEXT NOT NULL, PRIMARY KEY (node_id, rule_id));
CREATE TABLE node_skills (node_id TEXT NOT NULL, skill_id TEXT NOT NULL, is_active INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (node_id, skill_id));
CREATE TABLE activity_logs (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, task_summary TEXT, created_at TEXT NOT NULL);
CREATE TABLE refresh_tasks (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, subject_id TEXT NOT NULL);
CREATE TABLE memory_context_paths (memory_id TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (memory_id, path));
CREATE TABLE memory_embeddings (memory_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL, embedding BLOB NOT NULL, created_at TEXT NOT NULL);
INSERT INTO workspaces VALUES ('w1', 'shop', '/nowhere/shop', '2026-01-02T03:04:05Z');
INSERT INTO nodes VALUES ('root', 'w1', NULL, '/', 'folder', '/', 0, 'active', NULL, NULL, '2026', '2026'),
  ('n1', 'w1', 'root', 'billing', 'folder', '/src/billing', 0, 'active', NULL, NULL, '2026', '2026'),
  ('n2', 'w1', 'root', 'page.tsx', 'file', '/app/[slug]/page.tsx', 0, 'orphan', NULL, NULL, '2026', '2026');
INSERT INTO memories VALUES
  ('m1', 'w1', 'n1', 'Retries are capped', 'We retry three times.' || char(10) || char(10) || 'Never more.', 'claude', 'v', 2, 'ann', NULL, '2026', '2026-02-03T00:00:00Z', '2026', 'active'),
  ('m2', 'w1', 'root', 'House words', '# Words' || char(10) || 'An order is a basket that was paid.', 'manual', 'v', 1, NULL, NULL, '2026', '2026-02-04T00:00:00Z', '2026', 'active'),
  ('m3', 'w1', 'n1', 'Old story', 'Long ago.', 'claude', 'v', 1, NULL, NULL, '2026', '2026', '2026', 'archived'),
  ('m4', 'w1', 'n2', 'Slugs', 'Slugs are lower case.', 'claude', 'v', 1, NULL, NULL, '2026', '2026-02-05', '2026', 'active');
INSERT INTO memory_context_paths VALUES ('m1', 'src/cart/pay.ts'), ('m1', '/src/billing');
INSERT INTO rules VALUES
  ('r1', 'w1', 'No card numbers', 'Never log card numbers.', 'folder', 'high', 'v', 1, NULL, NULL, '2026', '2026-03-01', '2026', 'active'),
  ('r2', 'w1', 'Tabs', 'Use tabs.', 'project', 'medium', 'v', 1, NULL, NULL, '2026', '2026-03-01', '2026', 'active'),
  ('r3', 'w1', 'Nowhere', 'Sits on no place.', 'folder', 'low', 'v', 1, NULL, NULL, '2026', '2026-03-01', '2026', 'active');
INSERT INTO node_rules VALUES ('n1', 'r1'), ('n2', 'r1'), ('n1', 'r2');
INSERT INTO skills VALUES ('s1', 'w1', 'deploy', 'Use when deploying', 'Run make deploy.', 'manual', NULL, '1.0.0', '["ops","release"]', 'v', 1, NULL, NULL, '2026', '2026-03-02', '2026', NULL, 'active');
INSERT INTO node_skills VALUES ('n1', 's1', 1);
INSERT INTO activity_logs VALUES ('a1', 'w1', 'did a thing', '2026'), ('a2', 'w1', 'did another', '2026');
INSERT INTO memories VALUES ('m5', 'w1', 'root', 'Only in the log', 'Written last.', 'claude', 'v', 1, NULL, NULL, '2026', '2026-04-01', '2026', 'active');
