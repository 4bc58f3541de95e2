// Package interchange implements the commands that take conversations into Weft and out of it: imports of files and of
// other programs' conversations ([Imports]), exports ([Exports]), and daily backups ([Backups]). Package
// backend/interchange knows the formats.
//
// An import takes a conversation whole or not at all, and none twice. An export contains no known secrets.
// [OpenImporter] and [OpenExports] work in a data folder that no Weft uses; they fail with the code in_use otherwise.
package interchange
