package store

// schemaTerminals keeps in mind which terminals have no end yet, so that after a crash they need
// not be looked for in all calls.
const schemaTerminals = `
-- item_part.what is 3 and above for the outputs of a call's terminals, in their order.
CREATE TABLE live_terminal (
	mid  INTEGER NOT NULL,
	seg  INTEGER NOT NULL,
	item INTEGER NOT NULL,
	id   TEXT    NOT NULL,
	PRIMARY KEY (mid, seg, item, id)
) STRICT, WITHOUT ROWID;
`
