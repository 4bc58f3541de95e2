// Package snapshots is the snapshot store: it keeps what the files of a folder held, so that changes can be reviewed and
// reverted. It stores the bytes of each version once, and the version of every file when the folder was last scanned.
//
// The store is one SQLite file, DIR/review.db. [Folder.Scan] walks a folder and reads only files whose size, times, inode or
// mode changed since the last scan. It reports changes in batches and stores them only after they were reported, so that a
// scan that is killed reports them again.
//
// Guarantees: bytes are stored unconverted and unfiltered; nothing outside the folder is read, also not through links;
// nothing in the folder is written; memory, disk and the number of files are bounded, and [Folder.Coverage] reports when a
// bound was reached.
//
// Files that .gitignore excludes, version control (also of nested repositories) and installed packages are left out, unless
// a file is requested by its name ([Folder.Look]).
package snapshots
