-- The user's permission rules, the history of decisions, and the permission mode of each space.

ALTER TABLE space ADD COLUMN permission_mode TEXT NOT NULL DEFAULT 'rules'; -- ask, rules, read-only

CREATE TABLE permission_rule (
	n          INTEGER PRIMARY KEY,
	id         TEXT    NOT NULL UNIQUE,
	effect     TEXT    NOT NULL CHECK (effect IN ('allow', 'reject')),
	scope      TEXT    NOT NULL CHECK (scope IN ('space', 'folder', 'everywhere')),
	space_id   TEXT    NOT NULL,
	folder     TEXT    NOT NULL,
	agent_id   TEXT    NOT NULL, -- '': any
	kind       TEXT    NOT NULL, -- '': any
	command    TEXT    NOT NULL, -- '': not about commands
	path       TEXT    NOT NULL, -- '': not about files
	enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
	created_at INTEGER NOT NULL,
	used       INTEGER NOT NULL DEFAULT 0,
	last_used  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What was decided, newest last; the oldest go. Names stand here as they were then.
CREATE TABLE permission_decision (
	n          INTEGER PRIMARY KEY,
	at         INTEGER NOT NULL,
	space_id   TEXT    NOT NULL,
	agent_id   TEXT    NOT NULL,
	agent_name TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	title      TEXT    NOT NULL,
	about      TEXT    NOT NULL, -- the command line, or the files, one a line
	outcome    TEXT    NOT NULL,
	option     TEXT    NOT NULL, -- name of the agent's option that was chosen
	decider    TEXT    NOT NULL,
	rule_id    TEXT    NOT NULL,
	rule       TEXT    NOT NULL, -- what the rule was about
	words      TEXT    NOT NULL  -- all of it in lower case, to be searched
) STRICT;
CREATE INDEX permission_decision_space ON permission_decision (space_id, n);
