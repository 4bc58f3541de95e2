// Package recording records the messages between an agent and its client, and plays them
// back.
//
// A recording is a text file with one JSON object per line,
//
//	{"t":1234,"dir":"agent->client","msg":{…}}
//	{"t":1240,"dir":"client->agent","raw":"…"}
//
// where t is in microseconds since the start of the agent, msg is a message as it was
// sent and raw is a line that isn't JSON. Lines are in the order of the wire.
//
// [Record] runs between a client and an agent. It forwards every byte immediately and
// unchanged, but records it first, so that no response precedes its request. [Replay]
// acts as the recorded agent.
package recording
