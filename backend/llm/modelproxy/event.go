package modelproxy

import "weft/backend/llm"

// Event is something that was read from a response. It is about a tool call, or about the request if Call is 0.
type Event struct {
	Request uint64 // number of the request in its tunnel
	Call    int    // number of the call in its response, from 1
	ID      string // of the call, according to the provider; may be ""
	Name    string // of the tool, as the model knows it

	Fragment string // of the JSON of the call's input
	// Ended reports that the input of the call, or the response, is complete. Every call ends, before its response
	// does.
	Ended  bool
	Broken bool // it ended early, or couldn't be read to its end

	Model string     // the model that answered; set at the end of the response
	Usage *llm.Usage // of the request, likewise; nil if unknown
	Cost  *float64   // US dollars, as reported by the provider or by its list prices; nil if unknown
}
