// Package prompt makes the content blocks of a prompt: its text, what the user attached to it, and what the agent is told before it, each in the
// form that the agent's model is known to read.
package prompt
