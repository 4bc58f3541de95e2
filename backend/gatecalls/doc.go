// Package gatecalls tells which line of an agent is which call at Weft's gateway.
//
// A call of one of the gateway's tools reaches Weft twice: in the agent's session, where it is a line of the conversation and may be asked
// about, and at the gateway, over MCP. Nothing says that both are the same call: agents name the tool in their own ways, change the
// arguments that they show, show the line late, or never (decision 0026).
//
// [Calls] is a pure state machine for one session: the caller reports what the agent says about its calls ([Calls.Report]), which
// calls arrive at the gateway ([Calls.Arrive]), and that time has passed ([Calls.Tick]). It starts no timers and has no locks; deadlines
// are data. Each call at the gateway gets at most one line, and each line is given to at most one call.
package gatecalls
