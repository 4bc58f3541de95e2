// Package snapshots is the snapshot store: it stores the contents of a folder's files, so that changes can be reviewed
// and reverted. It stores the bytes of each version once, and the version of every file at the last scan of the
// folder.
//
// The store is one SQLite file, DIR/review.db. [Folder.Scan] walks a folder and reads only files whose size, times,
// inode or mode changed since the last scan. It reports changes in batches, and stores each batch only after it was
// reported, so that a scan that is killed reports them again.
//
// Guarantees: bytes are stored unconverted and unfiltered; nothing outside of the folder is read, not even through
// symbolic links; nothing in the folder is written; memory, disk and the number of files are limited, and
// [Folder.Coverage] reports when a limit was reached.
//
// Files that .gitignore excludes, version control (also of nested repositories) and installed packages are skipped,
// unless a file is requested by its name ([Folder.Look]).
package snapshots
