// Package api is the room of Weft's commands: what the window, browsers and scripts can ask Weft to do, and the events
// that they get.
//
// It promises that the window and a browser have the same commands and the same events, because both use the service;
// that every refused command has a code and a sentence for the user; and that the TypeScript types and docs/api.md
// agree with the Go types, because they are generated from them (make generate, decision 0030).
//
// It never folds an agent's updates, decides a permission request or runs a turn: that is space. It has no SQL: that is
// store. It doesn't know Wails, so everything in it is tested without a window.
//
//	service   the commands, in a package for each subject, and the events of the app (decision 0035): agents, spaces,
//	          conversation, permissions, changes, files, interchange (imports, exports, backups), tools (MCP), searches,
//	          secrets, app (looks, updates, problems)
//	httpapi   serves the commands, events and blobs, and the frontend, to browsers
package api
