// Package acpsession has the ACP sessions of a space's members. A [Session] knows the ways in which one is opened: the last one is continued or a new
// one made, one that the agent has kept is loaded, with all of it or what of it is new, one is copied for a branch, and the user is signed in on
// the way. It keeps which updates belong to the session ([Updates]), what the agent can do, and what was said in it.
//
// [Opener] talks to the agent: a new session, one that the agent continues (session/resume) or replays (session/load), and a copy of one
// (session/fork), each with its time limit. It says of an error whether the agent refuses, wants a process of its own for the session, or does not answer.
//
// [Connection] is a session's connection to the process of its agent: it joins the process, sends prompts, and leaves.
//
// What follows for the conversation is done by the space ([Space]), and what is remembered of sessions by a store ([Store]).
package acpsession
