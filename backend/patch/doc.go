// Package patch reads patches as agents write them: the form of apply_patch ("*** Update File: a.txt"), and unified diffs with or without the
// headers of git. It applies them to texts, so that the user sees what a file would become. It opens no file itself.
package patch
