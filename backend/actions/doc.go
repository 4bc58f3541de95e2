// Package actions compares what agents do, what they ask to do, and what they have Weft do.
//
// An agent often names one thing twice: it asks for permission to run a command, and then has Weft run it; it shows a change, and then
// has Weft write the file. An [Action] is one of these in a form that can be compared. [Answers] remembers what the user has said in a turn and
// finds the answer that covers an action, so that nobody is asked twice (decision 0017). [Turn] also notes what Weft was asked about, and tells
// which calls and changed files nobody was asked about although the mode or a rule says otherwise (decision 0025).
//
// It has no state besides what the caller keeps: no locks, no clock, no session. It decides nothing and shows nothing. Only
// [Turn.Weigh] looks at the disk, because [permission.Describe] follows links.
package actions
