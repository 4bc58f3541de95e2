// Package actions compares what agents do, what they ask to do, and what they let Weft do.
//
// Agents often name one thing twice: they ask for permission to run a command and then let Weft run it, or they show a
// change and then let Weft write the file. An [Action] is each of these in a comparable form. [Answers] remembers the
// user's answers in a turn and finds the one that covers an action, so that the user isn't asked twice (decision
// 0017). [Turn] also records what Weft was asked about, and finds the calls and changed files about which the agent
// didn't ask although the mode or a rule requires it (decision 0025).
//
// The package has no state besides what the caller keeps: no locks, no clock, no session. It makes no decisions and
// shows nothing. [Foresee] reads the disk, to resolve symbolic links, for those that compare later: what it didn't find,
// [Turn.JudgeFound] and [RunOf] read.
package actions
