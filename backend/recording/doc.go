// Package recording keeps what an agent and its client said to each other, and plays it
// back.
//
// A recording is a text file with one JSON object per line,
//
//	{"t":1234,"dir":"agent->client","msg":{…}}
//	{"t":1240,"dir":"client->agent","raw":"…"}
//
// where t counts microseconds since the agent was started, msg is a message as it was
// sent and raw is a line that was no JSON. Lines stand in the order of the wire.
//
// [RecordMain] is between any client and an agent: every byte passes at once and
// unchanged, and is written down before it is passed on, so that no answer can come
// before its question. [ReplayMain] is an agent that says again what was recorded.
package recording
