package store

// schemaToolRules adds rules about tools that Weft runs for agents.
const schemaToolRules = `
ALTER TABLE permission_rule ADD COLUMN tool TEXT NOT NULL DEFAULT ''; -- '': not about one
`
