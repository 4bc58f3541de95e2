// Package repo reads git repositories without running git: it finds the repository that git would use in a folder,
// reads its own configuration, and returns the commands that it would make git run.
//
// Guarantees:
//
//   - It starts no program, takes no lock and writes nothing. It opens only regular files up to a size limit.
//   - It reads more than git rather than less: a file that is included under a condition counts as included. If it
//     isn't certain what git would do, it returns [ErrUnclear].
//
// Only the repository's own files are read. The user's global configuration is trusted.
package repo
