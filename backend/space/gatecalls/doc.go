// Package gatecalls matches the tool calls that an agent shows with the calls that arrive at Weft's gateway.
//
// A call of one of the gateway's tools reaches Weft twice: in the agent's session, as a line of the conversation that
// may require permission, and at the gateway, over MCP. Nothing links the two: agents name the tool in their own
// ways, change the arguments that they show, and show the line late or never (decision 0026).
//
// [Calls] is a pure state machine for one session. The caller reports the agent's updates ([Calls.Report]), the calls
// that arrive at the gateway ([Calls.Arrive]) and the passing of time ([Calls.Tick]). It starts no timers and has no
// locks; deadlines are data. Each arrival gets at most one line, and each line at most one arrival.
//
// calls.go takes what the agent reports, lines.go what it has shown, arrive.go and arrivals.go the calls at the
// gateway; call.go decides how well the two fit, and trust.go whether names count. random_test.go plays histories from
// seeds.
package gatecalls
