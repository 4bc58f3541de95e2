// Package agentauth handles signing in to agents: it parses the methods that an agent offers ([Methods]), and runs
// the commands of methods that need a terminal for the user ([Terminals]).
//
// It doesn't start agents, send them anything, or store anything. Whoever has the connection does that, and the
// sign-in commands store the values of environment variables.
package agentauth
