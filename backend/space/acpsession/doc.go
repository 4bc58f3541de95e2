// Package acpsession opens the ACP sessions of a space's members. A [Session] continues the last session, creates a new
// one, loads a stored one completely or only its new part, or copies one for a branch, and signs the user in if
// necessary. It decides which updates belong to the session ([Updates]) and tracks the agent's capabilities and whether
// the session was used.
//
// [Opener] sends the requests to the agent: session/new, session/resume, session/load and session/fork, each with a
// time limit. It classifies errors: the agent refuses, it needs a separate process for the session, or it doesn't
// answer.
//
// [Connection] is a session's connection to the agent process: it joins the process, sends prompts, and leaves.
//
// The space updates the conversation ([Space]), and a store remembers the sessions ([Store]).
//
// ways.go chooses the last session, a new one or a copy; load.go and replay.go take what is new in a stored one;
// knowledge.go tracks what the agent knows of the conversation.
package acpsession
