// Package toolcalls reads what an agent reports of its own tool calls.
package toolcalls
