// Package llm holds the clean messages of a conversation with a language model, and the one interface that every
// provider is reached through.
//
// A conversation is a list of messages in which the user's and the model's strictly alternate, beginning with the
// user's. A message is a list of parts in the order in which they came. A model message with n tool calls is followed
// by one user message that begins with the n results, in the order of the calls. Each provider has a mapper in a
// package below, which turns clean messages into what that provider wants, and its stream back into parts.
//
// A mapper leaves nothing out and changes no order. What its provider cannot carry is an [Error] with a sentence,
// before anything is sent. It keeps no conversation between requests, holds nothing back while it streams, and does not
// try again by itself: that is the caller's, who can show it. docs/providers.md shows what is sent to each provider.
//
// This package never knows a provider, an agent or a space; only weft-agent links the mappers. prices.json has the
// prices and context sizes of models.
//
//	provider           the table of providers: names, addresses, keys
//	anthropic, openai  mappers that use the official SDKs
//	google, ollama     mappers that speak HTTP
//	schema             reduces a JSON Schema to what a provider accepts, a file for each dialect
//	sse, assemble      for mappers: reads event streams, puts a message together from them
//	turns              for wires on which a result is a message of its own
//	modelproxy         reads along between an agent and its model (decision 0024)
//	usage              tokens and costs of runs
//	llmtest            conversations that each mapper is tested with; llmtest/scripted plays a model on all wires
package llm
