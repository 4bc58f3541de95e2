// Package lifecycle opens and closes a member's sessions with its agent, and tracks their phase and who waits for
// one.
//
// A [Machine] belongs to one member of a space. It has at most one session at a time, and opens the next one once the
// previous one is gone. [Machine.Need] hands out the current session or opens one. The user can have one opened in
// another way, which prompts wait for ([Machine.Reopen]). An idle session is closed after a while, and everything
// ends when the member leaves ([Machine.Leave]).
//
// A Machine has no lock: the space's lock guards it, and its methods are called in steps of the space unless they say
// that they block. The [Member] runs slow operations and reports their end with [Stage.Opened] and [Stage.Gone].
//
// phase.go is the table of phases. simulation_test.go plays histories from seeds.
package lifecycle
