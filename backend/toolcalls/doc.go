// Package toolcalls makes of what an agent reports of its own tool calls what the user can read and rules can judge: the latest state of each open
// call ([Open]), diffs and titles of calls that have none ([Changes]), and output without secrets ([Printing]).
//
// It reads no files by itself. What has to be looked at on disk comes out as a [Look], which can be read without any lock, and goes in
// again with [Changes.Done].
package toolcalls
