-- Permission rules about tools that Weft runs for agents.

ALTER TABLE permission_rule ADD COLUMN tool TEXT NOT NULL DEFAULT ''; -- '': not about one
