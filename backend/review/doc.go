// Package review keeps what files held before an agent changed them, shows what was changed, and puts
// back what the user does not want.
//
// Per space there is a baseline of each file that its agent touched: written through fs/write_text_file,
// named by a tool call that edits, deletes or moves, or found changed on disk between a prompt and the
// end of its turn. A file with a baseline that differs from what the agent left needs review:
// accepting moves the baseline, rejecting puts the baseline back. What the user edits in between is
// theirs: it is taken into the baseline when the agent next changes the file, and never overwritten.
//
// What it promises:
//
//   - Exact. Bytes, mode bits, links, deleted files and the folders made for new ones come back as they
//     were, or a sentence says why not. Comparing and joining is done in package hunk, on bytes.
//   - Confined. Files are read and written through one [os.Root], never over a link.
//   - Atomic. A file on disk is the old or the new one. What is about to be done is noted before,
//     so that after a kill the notes agree with the disk.
//   - Out of the way. A turn waits for the first look at its folder at most two seconds; a fold never
//     waits. Nothing in the folder is written but what the user asked for; a repository's own files
//     are not even read.
package review
