// Package settings reads, writes and watches the user's settings file.
//
// The file is plain JSON that the user may edit. settings.schema.json next to it lets editors complete and check it.
// Guarantees:
//
//   - Get never blocks on the disk and always returns the last valid settings, whatever the file contains now.
//   - An invalid settings file is never changed or replaced. It is reported as a [Problem] with line and column until
//     the user corrects it.
//   - A write is atomic (a reader sees the old file or the new one). It keeps the file's mode and all fields that this
//     version doesn't know.
//   - An edit from outside of Weft takes effect without a restart.
//
// The package stores no secrets, starts no programs and applies no setting: whoever needs one reads it. Values that
// must not be in the file are in package secret, below this one; the file only refers to them.
//
// A new setting is a field in settings.go, its reading in decode.go, its name in encode.go, and its entry in
// settings.schema.json, which is shipped with Weft.
package settings
