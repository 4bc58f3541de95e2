-- Spaces, their sessions, runs, messages and blobs, and the journal.

CREATE TABLE meta (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE space (
	sid           INTEGER PRIMARY KEY,
	id            TEXT    NOT NULL UNIQUE,
	title         TEXT    NOT NULL,
	folder        TEXT    NOT NULL,
	agent_id      TEXT    NOT NULL,
	agent_name    TEXT    NOT NULL,
	archived      INTEGER NOT NULL DEFAULT 0,
	last_state    TEXT    NOT NULL DEFAULT 'idle', -- idle, failed
	created_at    INTEGER NOT NULL,
	last_activity INTEGER NOT NULL,
	deleted_at    INTEGER NOT NULL DEFAULT 0, -- 0: not deleted
	purging       INTEGER NOT NULL DEFAULT 0,
	epoch         INTEGER NOT NULL,
	folded_seq    INTEGER NOT NULL DEFAULT 0  -- the rows stand at this event
) STRICT;

-- The ACP sessions that agents have kept for a space; the last one counts.
CREATE TABLE session (
	n          INTEGER PRIMARY KEY,
	sid        INTEGER NOT NULL,
	agent_id   TEXT    NOT NULL,
	acp_id     TEXT    NOT NULL,
	cwd        TEXT    NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX session_space ON session (sid, agent_id);

CREATE TABLE run (
	rid         INTEGER PRIMARY KEY,
	sid         INTEGER NOT NULL,
	id          TEXT    NOT NULL,
	message_id  TEXT    NOT NULL DEFAULT '',
	agent_id    TEXT    NOT NULL DEFAULT '',
	agent_name  TEXT    NOT NULL DEFAULT '',
	model       TEXT    NOT NULL DEFAULT '',
	prompt_id   TEXT    NOT NULL DEFAULT '',
	started_at  INTEGER NOT NULL,
	ended_at    INTEGER NOT NULL DEFAULT 0,
	stop_reason TEXT    NOT NULL DEFAULT '',
	usage       BLOB,
	error       BLOB,
	UNIQUE (sid, id)
) STRICT;
CREATE INDEX run_open ON run (sid) WHERE ended_at = 0;

CREATE TABLE message (
	mid         INTEGER PRIMARY KEY,
	sid         INTEGER NOT NULL,
	ord         INTEGER NOT NULL, -- place in the space, from 1 without gaps
	id          TEXT    NOT NULL,
	run_id      TEXT    NOT NULL,
	role        TEXT    NOT NULL,
	author      BLOB    NOT NULL, -- JSON
	model       TEXT    NOT NULL,
	created_at  INTEGER NOT NULL,
	ended_at    INTEGER NOT NULL DEFAULT 0,
	stop_reason TEXT    NOT NULL DEFAULT '',
	usage       BLOB,
	error       BLOB,
	UNIQUE (sid, id),
	UNIQUE (sid, ord)
) STRICT;
CREATE INDEX message_open ON message (sid) WHERE ended_at = 0;

-- A segment is written once, with the beginning of its text; text_part continues it.
CREATE TABLE segment (
	mid     INTEGER NOT NULL,
	idx     INTEGER NOT NULL,
	type    TEXT    NOT NULL,
	author  TEXT    NOT NULL,
	parent  TEXT    NOT NULL, -- tool call id
	text    BLOB,
	display BLOB,             -- JSON
	PRIMARY KEY (mid, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE text_part (
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL,
	pos  INTEGER NOT NULL, -- byte offset in the segment's text
	text BLOB    NOT NULL,
	PRIMARY KEY (mid, seg, pos)
) STRICT, WITHOUT ROWID;

-- The items of tool groups: thoughts (kind is NULL) and tool calls. head is the JSON of a
-- call without its input, content and output; those are in call_body.
CREATE TABLE item (
	mid        INTEGER NOT NULL,
	seg        INTEGER NOT NULL,
	idx        INTEGER NOT NULL,
	kind       TEXT,
	status     TEXT,
	head       BLOB,
	parent     TEXT    NOT NULL DEFAULT '', -- of a thought
	started_at INTEGER NOT NULL DEFAULT 0,  -- of a thought
	ended_at   INTEGER NOT NULL DEFAULT 0,  -- of the piece of a thought that is in text
	text       BLOB,                        -- beginning of a thought
	PRIMARY KEY (mid, seg, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE call_body (
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL,
	item INTEGER NOT NULL,
	body BLOB    NOT NULL,
	PRIMARY KEY (mid, seg, item)
) STRICT, WITHOUT ROWID;

-- What is streamed into items: 0 a thought's text, 1 a call's input, 2 its output.
CREATE TABLE item_part (
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL,
	item INTEGER NOT NULL,
	what INTEGER NOT NULL,
	pos  INTEGER NOT NULL,
	at   INTEGER NOT NULL, -- of the last piece in it
	text BLOB    NOT NULL,
	PRIMARY KEY (mid, seg, item, what, pos)
) STRICT, WITHOUT ROWID;

-- How many calls of a group have a kind (what 0) or a status (what 1).
CREATE TABLE group_count (
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL,
	what INTEGER NOT NULL,
	name TEXT    NOT NULL,
	n    INTEGER NOT NULL,
	PRIMARY KEY (mid, seg, what, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE opaque (
	mid  INTEGER NOT NULL,
	n    INTEGER NOT NULL,
	kind TEXT    NOT NULL,
	at   INTEGER NOT NULL,
	raw  BLOB,
	ref  BLOB, -- JSON
	PRIMARY KEY (mid, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
	sid        INTEGER NOT NULL,
	key        TEXT    NOT NULL,
	message_id TEXT    NOT NULL,
	value      BLOB,
	ref        BLOB, -- JSON
	PRIMARY KEY (sid, key)
) STRICT, WITHOUT ROWID;

-- Events that are not folded into rows yet, one line each, in slots of one page; see journal.go.
CREATE TABLE journal (
	n    INTEGER PRIMARY KEY,
	data BLOB NOT NULL
) STRICT;

CREATE TABLE blob (
	bid  INTEGER PRIMARY KEY,
	hash TEXT    NOT NULL UNIQUE, -- lower-case hex SHA-256
	size INTEGER NOT NULL,
	mime TEXT    NOT NULL
) STRICT;

CREATE TABLE blob_chunk (
	bid  INTEGER NOT NULL,
	n    INTEGER NOT NULL, -- each but the last has 256 KiB
	data BLOB    NOT NULL,
	PRIMARY KEY (bid, n)
) STRICT, WITHOUT ROWID;

-- How often a message (or, with an empty id, the space itself) refers to a blob.
CREATE TABLE blob_use (
	bid        INTEGER NOT NULL,
	sid        INTEGER NOT NULL,
	message_id TEXT    NOT NULL,
	n          INTEGER NOT NULL,
	PRIMARY KEY (bid, sid, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_use_space ON blob_use (sid);
