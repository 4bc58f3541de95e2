// Package requests decides what an agent may do, and asks the user if nothing else decides: permission requests and
// questions, from their arrival to the response.
//
// Each session has an [Inbox]: its open permission requests and questions, and the mode in which requests are decided.
// A request ends once: by the user, a rule, the mode, an answer to an equal request, the end of the turn, or because
// the agent no longer waits. [Policy] decides about which permission requests the user needn't be asked. [Wait] is how
// lists show what waits for the user.
//
// An inbox has no lock. Its methods are called in a step of the space (decision 0029) and don't block. Slow operations
// go through [Step]: agents get an answer only after it is stored. Links on disk are resolved before the step.
//
// policy.go decides for all requests; permission.go and question.go are one request each, open.go those of a session;
// permissions.go and questions.go are what follows when one ends; consent.go and gateway.go ask for files, commands and
// tools through Weft, ownagent.go for what the built-in agent reads, mode.go knows in which mode; form.go reads
// questions that come as permission requests. docs/modes.md is the table of what is asked in which mode; a system test
// checks it and writes it with -update.
package requests
