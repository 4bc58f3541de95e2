// Package agentcalls tracks the tool calls of a session, and defines the order in which an update of a call is
// processed.
//
// An update concerns several packages: gatecalls (are the names of Weft's tools trusted), modelcalls (which call the
// model is writing), gatedrafts (what is shown of calls to the gateway), toolcalls (diffs, titles and hidden
// secrets), unasked (what was done without asking) and asking (permission requests). [Calls] has their values for one
// session.
//
// It starts nothing, has no lock and doesn't wait: its methods are called in a step of the space (decision 0029).
// Updates for the conversation and consequences for the session go through [Host].
package agentcalls
