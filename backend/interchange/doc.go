// Package interchange is the room of what comes into Weft and goes out of it: conversations of other programs, exports,
// and backups (docs/import.md, docs/export.md).
//
// It promises that files of other programs are only read, never locked or written; that memory doesn't grow with a
// conversation that is read from a session file or exported (flat holds a whole one, of limited size); that what can't
// be imported has a sentence that says why; and that exports hide known secrets, and no text in them becomes markup.
//
// It never shows a half-imported space: the store hides it until it is complete (store/importing.go). It starts no
// agents and knows no commands of the app; those are in the service (imports, exports, backups) and in cli.
//
//	flat                      JSON files with messages, also the exports of ChatGPT (decision 0028)
//	sessionfiles              conversations that agents keep in files (decision 0043), each agent in a package below it:
//	                          claude, codex, gemini, opencode, qwen
//	sessionfiles/parts        what Gemini CLI and Qwen Code have in common
//	sessionfiles/sessiontest  for the readers' tests: draws what they read (-args -update writes testdata/drawn.txt)
//	export                    Markdown, HTML, JSON and events (decision 0044)
//	backup                    weft backup and weft restore (decision 0049)
package interchange
