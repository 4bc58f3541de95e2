package store

// schemaInbox keeps when a space's last run ended and what of that the person has seen. A run that the
// person stopped has been seen.
const schemaInbox = `
ALTER TABLE space ADD COLUMN run_ended_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
`
