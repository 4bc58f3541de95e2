-- The members of spaces. The agent of an older space becomes its member 'main'.

CREATE TABLE member (
	sid        INTEGER NOT NULL,
	id         TEXT    NOT NULL,
	n          INTEGER NOT NULL, -- in which order they came
	name       TEXT    NOT NULL, -- unique among those that are there, in any case
	agent_id   TEXT    NOT NULL,
	agent_name TEXT    NOT NULL,
	role       TEXT    NOT NULL DEFAULT '',
	speaks     TEXT    NOT NULL DEFAULT 'direct', -- direct, tool
	reads      TEXT    NOT NULL DEFAULT 'all',    -- all, joined
	joined_at  INTEGER NOT NULL,
	joined_ord INTEGER NOT NULL DEFAULT 0,        -- so many messages there were
	left_at    INTEGER NOT NULL DEFAULT 0,        -- 0: it is there
	PRIMARY KEY (sid, id)
) STRICT, WITHOUT ROWID;
INSERT INTO member (sid, id, n, name, agent_id, agent_name, joined_at) SELECT sid, 'main', 1, agent_name, agent_id, agent_name, created_at FROM space;
CREATE INDEX member_agent ON member (agent_id) WHERE left_at = 0;

ALTER TABLE space ADD COLUMN default_member TEXT NOT NULL DEFAULT 'main'; -- who is asked where nobody is named
ALTER TABLE session ADD COLUMN member_id TEXT NOT NULL DEFAULT 'main';
ALTER TABLE run ADD COLUMN member_id TEXT NOT NULL DEFAULT 'main';
CREATE INDEX message_run ON message (run_id) WHERE run_id <> '';
CREATE INDEX run_id ON run (id);
