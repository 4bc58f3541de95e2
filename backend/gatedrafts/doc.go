// Package gatedrafts shows calls of the gateway's tools while the model still writes them.
//
// A message to a space appears in that space while it is written, and a display is drawn as soon as it is known for which space it is meant. The
// agent's own call is a row where that says more. Once the call arrives at the gateway, the caller takes over what is shown ([Drafts.TakeText],
// [Drafts.TakeDisplay]); what never arrives is taken back, or marked as not sent.
//
// [Drafts] is a state machine for one session on top of [gatecalls.Calls]. It starts nothing and has no locks; what it shows goes through [Space].
package gatedrafts
