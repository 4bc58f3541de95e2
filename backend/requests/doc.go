// Package requests is what agents ask the user: permission requests and questions, from arriving to the answer that the agent gets.
//
// [Permissions] and [Questions] are the open ones of one session. [Policy] decides a permission request that the user needn't be asked about. What
// becomes of a request is returned as values: how it ends in the transcript, what the history keeps, what is remembered for the next request,
// and what the agent is answered. The caller records and sends these, in that order.
//
// It doesn't know spaces, sessions or turns, stores nothing, sends nothing and has no locks. Reading a request again ([permission.Describe])
// follows links on disk.
package requests
