// Package patch parses patches as agents write them: the apply_patch format ("*** Update File: a.txt"), and unified
// diffs with or without git headers. It applies them to texts, so that the user sees the resulting file. It doesn't
// access files.
package patch
