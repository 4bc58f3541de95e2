// Package lifecycle says when a member's session with its agent is opened and closed, who waits for one, and in which phase it is.
//
// A [Machine] belongs to one member of a space. At most one session is there at a time, and the next one is opened once the one before is gone. Whoever
// needs a session gets the one that is there, or has one opened ([Machine.Need]). The user can have one opened in another way, which prompts wait for
// ([Machine.Reopen]). A session without anything to do is closed after a while, and all of it ends when the member leaves ([Machine.Leave]).
//
// A Machine has no lock: it belongs to the space, and its methods are steps of the space unless they say that they block. What takes time is done by
// the [Member], which reports its end with [Stage.Opened] and [Stage.Gone].
package lifecycle
