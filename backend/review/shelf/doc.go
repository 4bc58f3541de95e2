// Package shelf keeps what the files of a folder hold, so that it can be put back: the bytes of each
// version that counts, once, and of each folder which version every file had when it was last seen.
//
// It lives in one SQLite file of its own, DIR/review.db. [Folder.Scan] walks a folder and reads only
// what has changed since it was last there, by size, times, inode and mode. What it finds is told in
// batches, and counts as seen only after it was told; so a process that is killed finds it again.
//
// What it promises: bytes are bytes, nothing converts or filters them; nothing but the folder itself
// is read, also not through links; nothing in the folder is written; memory, disk and the number of
// files are bounded, and where a bound is reached [Folder.Coverage] says so.
//
// Left out are what .gitignore files exclude, version control (also of repositories within) and installed
// packages, unless someone asks for the file by its name ([Folder.Look]).
package shelf
