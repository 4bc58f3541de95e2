// Package prelude writes the text that an agent gets before a prompt: the conversation so far in a new session, what
// others have said since its last turn, and its identity in a space with several members. It reads rows through
// [Source] and is otherwise pure. The size of the text is bounded, however long the conversation is.
package prelude
