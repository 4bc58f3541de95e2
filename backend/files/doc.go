// Package files is the room of files that others can change at any time: the files in a space's folder, which agents
// and repositories write, and the few ways in which Weft writes its own.
//
// It promises confinement and patience: an access to a space's folder goes through one os.Root, so that neither a
// symbolic link nor ".." leads out of it; a file is judged by its descriptor and not by its path; only regular files
// are opened; what is read is bounded. An agent's access ends after a time limit even if the disk doesn't respond.
//
// It never decides whether an agent may read or write something: that is permission, and callers ask before. It keeps
// no contents: what files held before a change is in changes.
//
//	workspace   reads and writes files for agents: encodings, line ends, limits
//	regular     opens, reads and replaces regular files that can't be trusted
//	finder      fuzzy search for files to mention
//	attachment  what kind of file an attachment is
//	ignore      which files of a folder to skip
//	atomicfile  replaces a file in one step
//	filelock    locks between processes
//	procfs      what Linux says about processes
package files
