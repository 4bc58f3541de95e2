package toolcalls

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"
)

// maxRepeated limits how much of a result is sent to an agent, in bytes.
const maxRepeated = 16 << 10

// Repeated returns the end of a call that the user has repeated, with a result in MCP form or an error.
func Repeated(id string, result jsontext.Value, err error) *transcript.ToolPatch {
	status := transcript.StatusCompleted
	p := &transcript.ToolPatch{ID: id, Status: &status, Output: result}
	if err != nil {
		status = transcript.StatusFailed
		words := err.Error()
		p.Error = &words
	}
	return p
}

// RepeatedNotice returns the text for the agent after the user has successfully repeated its call.
func RepeatedNotice(call *transcript.ToolCall, result jsontext.Value) string {
	told := string(result)
	if len(told) > maxRepeated {
		told = clip.Start(told, maxRepeated) + " … (cut)"
	}
	return fmt.Sprintf("I ran %s again, which had failed before. It worked this time. Its result: %s", cmp.Or(call.Name, call.Title), told)
}
