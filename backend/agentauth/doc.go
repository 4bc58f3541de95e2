// Package agentauth has the ways to sign in to an agent: it reads those that an agent offers ([Methods]), and runs the commands of
// those that need a terminal which the user types into ([Terminals]).
//
// It starts no agents and sends them nothing: that is up to whoever has the connection. It stores nothing either. The values of
// environment variables are kept by the commands of signing in.
package agentauth
