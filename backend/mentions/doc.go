// Package mentions has what holds where agents ask each other: how many runs may come of one prompt ([Limits], [Budget]), who waits for whom
// ([Waits], [ReplyWaiter], [OpenReply]), and what an agent has said for those that wait ([Words]).
//
// It starts no runs and stores nothing. Waiting for a reply is all that blocks here.
package mentions
