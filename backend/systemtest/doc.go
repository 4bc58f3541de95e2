// Package systemtest runs Weft as a user does: the whole backend behind its HTTP face in a
// process of its own, with agents that are real processes, too. It holds tests only.
//
// The test binary is also the app and the agents: run with `serve` it is what `weft serve` is
// (main.go cannot be linked without a window toolkit), with `supervise` and `agent` it is
// those, and with `scripted NAME` it is one of the agents in agents_test.go, which are Go
// functions that speak raw lines.
//
// Every test asserts the same three things about whatever goes wrong: there is a sentence that a
// user can act on, other spaces still work, and what a subscriber was shown is what the store has.
//
// WEFT_CRASH_ROUNDS sets how often the crash test kills the app. The tests look into /proc, so
// they are for Linux.
//
// TestAdversary is an agent that tries to act without the user (adversary_*_test.go: the judge, the
// agent, the folder with its canaries, and a grammar of attacks). WEFT_ADVERSARY_STEPS and
// WEFT_ADVERSARY_SEED choose what it does. TestModesTable compares docs/modes.md with what Weft
// does in each mode, and writes it with -args -update.
package systemtest
