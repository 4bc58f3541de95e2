// Package install puts agents of a registry into Weft's own folder, and takes them out again.
//
// An installed agent is the folder DIR/ID/FOLDER with what was installed in "files" and a
// [Record] beside it. What this room promises:
//
//   - A folder with a record is complete. It is made under another name (or, where a program
//     would not bear to be moved, without its record) and becomes what it is in one step; what a crash leaves
//     half is removed by [Installer.Sweep].
//   - What is downloaded is bounded, and so is what is unpacked of it. An archive writes into its own
//     folder only, and makes nothing there but files, folders and links that stay inside.
//   - A checksum that the registry tells is compared before anything is unpacked.
//   - A download without a checksum, and install scripts of packages, wait for the user's yes.
//   - Child processes run supervised (backend/agent): none outlives an install that ended.
//
// It knows nothing of the settings: which agents there are is the service's business.
package install
