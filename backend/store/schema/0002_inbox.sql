-- When the last run of a space ended, and what the user has seen of that. A run that the user stopped counts as seen.

ALTER TABLE space ADD COLUMN run_ended_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
