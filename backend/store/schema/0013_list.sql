-- How the user orders the spaces: projects, pins, tags; and what was typed in them and not sent.

ALTER TABLE space ADD COLUMN made_by TEXT NOT NULL DEFAULT 'user' CHECK (made_by IN ('user', 'agent', 'schedule', 'import'));
ALTER TABLE space ADD COLUMN project TEXT NOT NULL DEFAULT ''; -- the repository or folder that it belongs to; '': not looked up yet
UPDATE space SET made_by = 'import' WHERE id IN (SELECT value FROM meta WHERE key LIKE 'imported:%');

CREATE TABLE space_pin (
	sid INTEGER PRIMARY KEY,
	n   INTEGER NOT NULL -- in this order
) STRICT;

CREATE TABLE tag (
	tid  INTEGER PRIMARY KEY,
	id   TEXT    NOT NULL UNIQUE,
	name TEXT    NOT NULL, -- unique in any case
	tone INTEGER NOT NULL  -- one of the colors of the theme, from 1
) STRICT;

CREATE TABLE space_tag (
	sid INTEGER NOT NULL,
	tid INTEGER NOT NULL,
	PRIMARY KEY (sid, tid)
) STRICT, WITHOUT ROWID;
CREATE INDEX space_tag_tag ON space_tag (tid);

-- The projects that the user has put in order.
CREATE TABLE project_order (
	project TEXT    PRIMARY KEY,
	n       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was typed and not sent, one row a space; with sid 0 in the form for a new space. An empty one stays, so that an older
-- edit of another window does not replace it.
CREATE TABLE draft (
	sid       INTEGER PRIMARY KEY,
	text      TEXT    NOT NULL,
	more      BLOB,             -- JSON: attachments and options
	filled    INTEGER NOT NULL, -- 0: nothing is in it
	edited_at INTEGER NOT NULL
) STRICT;
