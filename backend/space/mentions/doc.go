// Package mentions tracks how agents ask each other: how many runs one prompt may lead to ([Limits], [Budget]), who
// waits for whom ([Waits], [ReplyWaiter], [OpenReply]), and the text that waiting agents get as a reply ([Words]).
//
// It starts no runs and stores nothing. Only the Await methods block.
package mentions
