// Package modelcalls matches the tool calls that a model writes, as read by the model proxy, with the calls that the
// agent shows.
//
// The agent shows a call in its own form, usually later than the model writes it, and under its own id. The two are
// matched by the provider's id of the call, or else by tool and input (decision 0024). From then on, the input is
// shown in the agent's call while the model writes it.
//
// [Calls] is a pure state machine for the run of one session: the caller reports what the proxy reads ([Calls.Read])
// and what the agent sends about its calls ([Calls.Report], [Calls.Request]), and shows the results. It starts
// nothing and has no locks.
package modelcalls
