// Package gatedrafts shows calls of the gateway's tools while the model still writes them.
//
// A message to a space appears there while it is written, and a display is drawn as soon as its target space is
// known. The agent's own call is shown as a row where that says more. Once the call arrives at the gateway, the
// caller takes over what is shown ([Drafts.TakeText], [Drafts.TakeDisplay]). What never arrives is removed, or marked
// as not sent.
//
// [Drafts] is a state machine for one session on top of [gatecalls.Calls]. It starts nothing and has no locks; what it
// shows goes through [Space].
package gatedrafts
