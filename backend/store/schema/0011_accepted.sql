-- Changes of files that the user has accepted, for commits: before became after. States are those of 0005_reviews.

CREATE TABLE review_accepted (
	aid    INTEGER PRIMARY KEY,
	sid    INTEGER NOT NULL,
	path   TEXT    NOT NULL, -- from the folder, with slashes
	before BLOB    NOT NULL,
	after  BLOB    NOT NULL,
	at     INTEGER NOT NULL
) STRICT;
CREATE INDEX review_accepted_space ON review_accepted (sid, path, aid);
CREATE INDEX review_turn_run ON review_turn (run_id) WHERE run_id <> '';
