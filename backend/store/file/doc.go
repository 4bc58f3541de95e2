// Package file manages the database file DIR/weft.db: it makes sure that only one Weft uses it, and creates, migrates,
// checks and recovers it.
//
// The folder may also contain:
//
//	weft.lock            who uses the folder
//	weft-vN.backup.db    the database before it was migrated from version N
//	weft.db.left         how Close left the file, so that a start knows whether something else changed it
//	weft.db.suspect      damage that was found while Weft ran; the next start checks the whole file
//	weft.db.new, .work   a database that is being created, the copy of a damaged one that is being read
//	weft.db.recovered    a complete recovered database that has not replaced the damaged one yet
//	weft.db.damaged-TIME a damaged database that was replaced
//	weft.db.restored     a complete database out of a backup that has not replaced the one before yet
//	weft.db.replaced-TIME the database before a backup was restored
package file
