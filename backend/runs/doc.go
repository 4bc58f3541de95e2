// Package runs is a turn's life: it starts the space's agent, sends the prompt, folds what
// comes back, answers what the agent asks, and ends the run however it ends.
//
// There is one [Session] per space. What it promises:
//
//   - Order. Whatever the agent sends is folded in the order of arrival, and every event is
//     committed before anybody sees it (store.Append).
//   - At once. Tool starts, ends, errors and permission requests are committed as soon as
//     nothing else is waiting to be folded, and at the latest after a millisecond; deltas at
//     the latest after a frame (16 ms).
//   - Back-pressure. The agent's connection is not read while events are being committed,
//     nor while they cannot be (a full disk): they are kept and tried again until they can.
//   - No leaks. A process is ended when its session, its space or the app ends, and when
//     the agent does not end its turn after a stop.
//
// A session's state is changed under its one mutex; goroutines that it starts are waited
// for by [Manager.Close].
package runs
