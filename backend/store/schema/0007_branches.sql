-- Where a space branched off. The ids may name spaces that are gone.

ALTER TABLE space ADD COLUMN tree           TEXT    NOT NULL DEFAULT ''; -- the space that all of the tree came from; '': it is no branch
ALTER TABLE space ADD COLUMN origin         TEXT    NOT NULL DEFAULT ''; -- the space that it branched from
ALTER TABLE space ADD COLUMN origin_message TEXT    NOT NULL DEFAULT ''; -- the last message that was taken over
ALTER TABLE space ADD COLUMN origin_ord     INTEGER NOT NULL DEFAULT 0;  -- so many messages were taken over
CREATE INDEX space_tree ON space (tree) WHERE tree <> '';
