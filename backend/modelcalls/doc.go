// Package modelcalls puts together the tool calls that a model writes, as the model proxy has read them, and the calls that the agent shows.
//
// The agent shows a call in its own words, mostly later than the model writes it, and with an id of its own. Both are put together
// by the provider's id of the call, else by tool and input (decision 0024). From then on the input is shown at the agent's call while the model
// writes it.
//
// [Calls] is a pure state machine for the run of one session: the caller reports what the proxy has read ([Calls.Read]) and what the agent says
// about its calls ([Calls.Report], [Calls.Request]), and shows what is returned. It starts nothing and has no locks.
package modelcalls
