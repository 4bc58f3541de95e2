// Package prelude writes what an agent is told before a prompt because it does not know it: the conversation so far in a new session, what
// others have said since its last turn, and who it is in a space with several members. It reads rows through [Source] and
// otherwise computes only; what it writes is bounded, however long the conversation is.
package prelude
