// Package runs executes the turns of a space: it opens a session with the agent of each member, sends the prompt, folds the agent's updates, answers its
// requests, and ends the run.
//
// A space has one owner (see decision 29): its state changes one step at a time, and a step never waits. There is one [Session] per member. The package
// guarantees:
//
//   - Order. Updates are folded in order of arrival, and each event is committed before anyone sees it.
//   - Latency. Tool starts, ends, errors and permission requests are committed as soon as nothing else waits to be folded, at most a millisecond later;
//     deltas at most a frame (16 ms) later.
//   - Back-pressure. Weft doesn't read an agent while too many of its events wait to be stored (a slow or full disk) or to be taken by other spaces.
//     Events that can't be stored are kept and retried.
//   - No leaks. A process ends when its last session ends, or when its agent doesn't end a stopped turn.
//
// [Manager.Close] waits for all goroutines.
package runs
