-- Conversations of other programs that were imported, and the files that they were read from.

ALTER TABLE space ADD COLUMN imported_from TEXT NOT NULL DEFAULT ''; -- the program; '': it is of none

-- A space that was made of a conversation, or of one of its branches.
CREATE TABLE imported (
	sid     INTEGER PRIMARY KEY,
	program TEXT    NOT NULL,
	session TEXT    NOT NULL, -- the id that the program gave the conversation
	path    TEXT    NOT NULL, -- key of the last entry that was read, where there can be branches
	entries INTEGER NOT NULL, -- how many were read
	sum     INTEGER NOT NULL, -- of their keys
	ord     INTEGER NOT NULL  -- how many messages the space had then
) STRICT;
CREATE INDEX imported_session ON imported (program, session);

-- What was read of a file, so that it is only read again when it has changed.
CREATE TABLE imported_file (
	program TEXT    NOT NULL,
	path    TEXT    NOT NULL,
	session TEXT    NOT NULL,
	size    INTEGER NOT NULL,
	changed INTEGER NOT NULL,
	PRIMARY KEY (program, path)
) STRICT, WITHOUT ROWID;
