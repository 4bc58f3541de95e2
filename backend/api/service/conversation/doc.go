// Package conversation implements the commands about what is said in a space: reading it ([Transcripts]), sending
// prompts and stopping or retrying their runs ([Prompts]), attachments ([Attachments]), answering requests of agents
// ([Requests]), and branches, which are spaces with a copy of the messages up to a position ([Branches]).
//
// Snapshots and pages name the last event that they include; a reader continues from there. SendPrompt returns when the
// prompt is stored. What its run does is reported by the events of the space.
package conversation
