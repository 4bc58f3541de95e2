// Package toolcalls converts an agent's reports about its own tool calls into a form that the user can read and rules
// can judge: the latest state of each open call ([Open]), diffs and titles for calls without them ([Changes]), and
// output without secrets ([Printing]).
//
// The package reads no files itself. What has to be read is returned as a [Look], which can be read without any lock
// and is passed to [Changes.Done] afterwards.
package toolcalls
