// Package runs executes the turns of a space: it opens a session with the agent of each member, sends the prompt, folds
// the agent's updates, answers its requests, and ends the run.
//
// A space has one owner (decision 0029): its state changes one step at a time, and a step never waits. There is one
// [Session] per member. The package guarantees:
//
//   - Order. Updates are folded in order of arrival, and each event is committed before anyone sees it.
//   - Latency. Tool starts, ends, errors and permission requests are committed as soon as nothing else waits to be
//     folded, at most a millisecond later; deltas at most a frame (16 ms) later.
//   - Back-pressure. Weft doesn't read an agent while too many of its events wait to be stored (a slow or full disk) or
//     to be taken by other spaces. Events that can't be stored are kept and retried.
//   - No leaks. A process ends when its last session ends, or when its agent doesn't end a stopped turn.
//
// [Manager.Close] waits for all goroutines.
//
// space.go is what the sessions of a space share, session.go a member, run.go a turn. live.go opens a session and
// prompting.go assembles a prompt, both outside the lock; fold.go handles what an agent sends. effects.go lists what a
// step leaves to the world, inputs.go what happens to a space, and world.go carries the effects out. Most other files
// connect a package of backend/space to these.
//
// TestSimulation drives spaces with scripted agents and users, a clock, a failing store and kills, from seeds:
//
//	go test ./backend/space/runs -run TestSimulation -v -args -seed N       prints one history
//	go test ./backend/space/runs -run TestSimulation -v -args -histories N  plays seeds 1 to N
//
// simulation_faults_test.go puts old faults back into the source (-args -faults, in make deep): the simulation must
// find each.
package runs
