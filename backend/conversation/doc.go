// Package conversation is the room of what a conversation is and how it looks, apart from where it comes from and where
// it is stored: updates become events, events become messages, calls get a title, a summary and a way to be drawn.
//
// It promises that the same updates give the same conversation, live, after a reload, in a replay and in an export, and
// that the work per update doesn't grow with the conversation. The frontend does several of these things again in
// TypeScript; both sides read the same test data, and make check-fold compares the folds on random sequences.
//
// Nothing in this room does I/O, starts goroutines or reads the clock: callers pass bytes and times. It knows neither
// ACP nor the database.
//
//	transcript             updates, events, messages, and the fold between them
//	transcript/results     what a result says: a line, a number of results, whether the call failed
//	transcript/jsondelta   makes additions of an input that an agent sends whole again and again
//	transcript/statusword  other programs' words for the status of a call
//	partialjson            reads JSON while it arrives (also frontend/src/transcript/partialjson.ts)
//	partialargs            arguments that Google's models stream in pieces
//	callview               how a call is drawn, by rules (decision 0027; also frontend/src/transcript/looks.ts)
//	displays               what agents draw for the user, and how an answer ends it
//	follow                 the places in files where an agent was
//	search                 tokens, queries, filters and snippets; the index is store/search
//	archive                the JSON document of an exported conversation
package conversation
