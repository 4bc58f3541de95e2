package modelproxy

import "weft/backend/llm"

// Event is one thing that was read of an answer. It is about a tool call, or about the request if Call is 0.
type Event struct {
	Request uint64 // counts the requests of a tunnel
	Call    int    // counts the calls of an answer, from 1
	ID      string // of the call, as the provider gave it; "" if it gave none
	Name    string // of the tool, as the model was told it

	Fragment string // of the JSON of the call's input
	// Ended says that the call's input, or the answer, is complete. Every call that was begun ends, before its answer does.
	Ended  bool
	Broken bool // it ended before it was complete, or could not be read to its end

	Model string     // that answered, with the end of the answer
	Usage *llm.Usage // of the request, likewise; nil if it was not told
	Cost  *float64   // US dollars, as the provider told it or by its list prices; nil if neither is known
}
