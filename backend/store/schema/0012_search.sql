-- What is indexed for searching. The tokens are in FTS5 tables that are made when they are needed: search_tokens_1_1 and so on.

-- The indexed texts: did is their rowid in the tables of tokens.
CREATE TABLE search_doc (
	did  INTEGER PRIMARY KEY,
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL, -- -1: the error of the message
	item INTEGER NOT NULL, -- -1: the segment itself
	pos  INTEGER NOT NULL, -- a long text is indexed in pieces; byte offset
	size INTEGER NOT NULL  -- bytes of the piece; 0: all of it
) STRICT;
CREATE INDEX search_doc_message ON search_doc (mid, seg);

-- Texts that have changed since they were indexed, or are not indexed yet.
CREATE TABLE search_todo (
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL,
	item INTEGER NOT NULL,
	PRIMARY KEY (mid, seg, item)
) STRICT, WITHOUT ROWID;

-- Messages that are not indexed yet, from lo to hi; the first segments of the first one may be.
CREATE TABLE search_range (
	lo  INTEGER PRIMARY KEY,
	hi  INTEGER NOT NULL,
	seg INTEGER NOT NULL DEFAULT -1
) STRICT;
INSERT INTO search_range (lo, hi) SELECT 1, max(mid) FROM message HAVING max(mid) IS NOT NULL;

-- Words that are found by a part of them, one a line. A word may be there more than once.
CREATE TABLE search_word (
	n     INTEGER PRIMARY KEY,
	words BLOB NOT NULL
) STRICT;
