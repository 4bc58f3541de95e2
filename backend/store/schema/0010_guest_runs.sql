-- Runs that write to a space but work in another one. In its own space, a run has no home.

ALTER TABLE run ADD COLUMN home TEXT NOT NULL DEFAULT ''; -- the id of the space in which it works
