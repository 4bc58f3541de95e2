// Package runs runs the turns of a space: it opens a session with the agent of each member, sends the prompt, folds what the agent sends, answers what
// it asks for, and ends the run however it ends.
//
// A space has one owner (see decision 29): its state changes one step at a time, and a step never waits. There is one [Session] per member. The package
// promises:
//
//   - Order. What an agent sends is folded in the order of arrival, and each event is committed before anyone sees it.
//   - Latency. Tool starts, ends, errors and permission requests are committed as soon as nothing else waits to be folded, and after a millisecond at the
//     latest; deltas after a frame (16 ms) at the latest.
//   - Back-pressure. An agent isn't read while too much waits to be stored (a slow or a full disk) or to be taken by other spaces. What can't be stored
//     is kept and tried again.
//   - No leaks. A process ends when the last of its sessions ends, and when its agent doesn't end a turn that was stopped.
//
// [Manager.Close] waits for all goroutines.
package runs
