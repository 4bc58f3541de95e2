-- The git worktrees that Weft made for spaces. They outlive their spaces, because deleting a space leaves them on disk.

CREATE TABLE worktree (
	n           INTEGER PRIMARY KEY,
	id          TEXT    NOT NULL UNIQUE,
	space_id    TEXT    NOT NULL, -- whose folder it is, or was
	path        TEXT    NOT NULL,
	repository  TEXT    NOT NULL, -- the top folder of the working tree that it was made from
	folder      TEXT    NOT NULL, -- in that, the folder that the person chose
	branch      TEXT    NOT NULL,
	base_branch TEXT    NOT NULL, -- empty: there was none
	base_commit TEXT    NOT NULL,
	created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX worktree_space ON worktree (space_id);
