package store

// schemaGuest adds runs that write into a space and work in another one. The row of the run itself has no home.
const schemaGuest = `
ALTER TABLE run ADD COLUMN home TEXT NOT NULL DEFAULT ''; -- the id of the space in which it works
`
