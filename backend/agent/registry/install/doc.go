// Package install installs agents of a registry into Weft's own folder, and removes them.
//
// An installed agent is the folder DIR/ID/FOLDER with the installed files in "files" and a [Record] next to it. This
// package guarantees:
//
//   - A folder with a record is complete. It is created under another name (or without its record, if the program can't
//     be moved) and then completed in one step. [Installer.Sweep] removes what a crash leaves incomplete.
//   - The sizes of downloads and of their unpacked content are limited. An archive can write only into its own folder,
//     and create only files, folders and links that stay inside.
//   - A checksum in the registry is verified before anything is unpacked.
//   - Downloads without a checksum, and install scripts of packages, require the user's confirmation.
//   - Child processes run supervised (backend/agent): none outlives its install.
//
// It knows nothing about the settings: the service manages the list of agents.
//
// ask.go has what the user must confirm, scripts.go the install scripts of npm packages.
package install
