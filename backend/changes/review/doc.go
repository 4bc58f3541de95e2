// Package review stores the content of files before an agent changes them, shows the changes, and restores what the
// user doesn't want.
//
// Each space has a baseline of every file that its agent touched: written through fs/write_text_file, named by a tool
// call that edits, deletes or moves, or found changed on disk between a prompt and the end of its turn. A file needs
// review if its baseline differs from what the agent left. Accepting moves the baseline; rejecting restores it. What
// the user edits in between becomes part of the baseline when the agent next changes the file, and is never
// overwritten.
//
// Guarantees:
//
//   - Exact. Contents, modes, links, deleted files and the folders created for new files are restored as they were, or
//     a sentence says why not. Package hunk compares and merges bytes.
//   - Confined. Files are read and written through one [os.Root], never through a symbolic link.
//   - Atomic. A file on disk is either the old or the new one. Each step is logged before it is carried out, so that
//     the log and the disk agree after a crash.
//   - Unobtrusive. A turn waits at most two seconds for the first scan of its folder, and a fold never waits. Weft
//     writes only what the user asked for, and doesn't even read the files of a repository itself.
//
// watcher.go records what turns change, decide.go and undo.go carry out what the user decides, restore.go puts files
// back, and commits.go passes accepted changes to package commit.
package review
