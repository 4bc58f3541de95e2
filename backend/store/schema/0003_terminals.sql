-- The terminals that have not ended, so that a start after a crash does not have to search all calls for them.

-- item_part.what is 3 and above for the outputs of a call's terminals, in their order.
CREATE TABLE live_terminal (
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL,
	item INTEGER NOT NULL,
	id   TEXT    NOT NULL,
	PRIMARY KEY (mid, seg, item, id)
) STRICT, WITHOUT ROWID;
