// Package secret keeps values that must not be in the settings file: in the keychain of the
// system, or in an encrypted file in Weft's own folder.
//
// What it promises:
//
//   - A secret is where its [Ref] says, and is looked for nowhere else: one that lives in the
//     keychain never silently moves to the file.
//   - No call blocks for longer than [Options.Timeout], whatever the keychain does: one that is
//     locked, hangs or is absent becomes an [*Error] with a sentence for the user.
//   - A write of the file is atomic. A file that cannot be read is never replaced.
//   - Every value that was kept or read is known to the [Redactor] from then on.
//
// The file protects against a look at it, and at a backup without its key. It does not protect
// against programs that run as the user, and [Place.Words] says so.
//
// keychain.go and file.go are the two places; redact.go, index.go and stream.go replace known values in texts;
// variables.go, withhold.go and handover_unix.go keep keys out of the environment of programs.
package secret
