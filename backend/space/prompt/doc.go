// Package prompt builds the content blocks of a prompt: its text, the user's attachments, and the prelude, each in a
// form that the agent's model is known to read.
//
// attachment.go says which agents take which attachment, agent.go which of them read what is embedded.
package prompt
