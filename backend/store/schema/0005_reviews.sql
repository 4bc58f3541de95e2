-- What agents changed in files, and what the user decided about it. States of files are JSON of backend/changes/review,
-- which also keeps the content that they name.

-- A stretch in which files changed: a run, or something that the person had Weft do.
CREATE TABLE review_turn (
	tid        INTEGER PRIMARY KEY,
	sid        INTEGER NOT NULL,
	what       TEXT    NOT NULL, -- run, reject, undo, redo
	run_id     TEXT    NOT NULL,
	prompt_id  TEXT    NOT NULL, -- the person's message
	started_at INTEGER NOT NULL,
	ended_at   INTEGER NOT NULL DEFAULT 0,
	late       INTEGER NOT NULL DEFAULT 0 -- it began before the whole folder was seen
) STRICT;
CREATE INDEX review_turn_space ON review_turn (sid, tid);
CREATE INDEX review_turn_open ON review_turn (tid) WHERE ended_at = 0;

-- What a turn did to one file.
CREATE TABLE review_touch (
	tid    INTEGER NOT NULL,
	path   TEXT    NOT NULL, -- from the folder, with slashes
	made   TEXT    NOT NULL, -- the outermost folder that was made for it
	before BLOB    NOT NULL,
	after  BLOB    NOT NULL,
	was    BLOB,             -- what was to be reviewed of it before
	plan   BLOB,             -- what is to be reviewed of it then; NULL once it is done
	PRIMARY KEY (tid, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_touch_plan ON review_touch (tid) WHERE plan IS NOT NULL;

-- What is to be reviewed: base became agent.
CREATE TABLE review_file (
	fid     INTEGER PRIMARY KEY,
	sid     INTEGER NOT NULL,
	path    TEXT    NOT NULL,
	made    TEXT    NOT NULL,
	base    BLOB    NOT NULL,
	agent   BLOB    NOT NULL,
	added   INTEGER NOT NULL,
	removed INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	UNIQUE (sid, path)
) STRICT;
