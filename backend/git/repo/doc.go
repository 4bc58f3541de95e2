// Package repo reads git repositories without running git: it finds the repository that git would use in a folder, reads its own
// configuration, and tells which commands that would make git run.
//
// What it promises:
//
//   - It starts no program, takes no lock and writes nothing. It opens only regular files, of a bounded size.
//   - It reads more than git would rather than less: files that are included under a condition count as included. Where it can't
//     tell for certain what git would do, it returns [ErrUnclear].
//
// Only the repository's own files are read. What the user's global configuration defines is the user's.
package repo
