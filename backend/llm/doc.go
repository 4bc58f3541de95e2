// Package llm holds the clean messages of a conversation with a language model, and the one interface that
// every provider is reached through.
//
// A conversation is a list of messages in which the user's and the model's strictly alternate, beginning with
// the user's. A message is a list of parts in the order in which they came. A model message with n tool calls is
// followed by one user message that begins with the n results, in the order of the calls. Nothing here knows a
// provider: each one has a mapper of its own in a package below (openai, anthropic, google, ollama), which turns
// clean messages into what that provider wants, and its stream back into parts. Those but google go through the official SDKs.
//
// A mapper leaves nothing out and changes no order. What its provider cannot carry is an [Error] with a
// sentence, before anything is sent. It keeps no state between requests, holds nothing back while it streams, and
// does not try again by itself: that is the caller's, who can show it.
package llm
