package toolcalls

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
	"weft/backend/transcript"
)

// maxRepeated is how much of a result an agent is told, in bytes.
const maxRepeated = 16 << 10

// Repeated returns how a call ends that the user had made once more, with a result as MCP has it, or with why there is none.
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

// RepeatedNotice returns what the agent of a call is told when the user had it made once more, and it worked.
func RepeatedNotice(call *transcript.ToolCall, result jsontext.Value) string {
	told := string(result)
	if len(told) > maxRepeated {
		told = clip.Start(told, maxRepeated) + " … (cut)"
	}
	return fmt.Sprintf("I ran %s again, which had failed before. It worked this time. Its result: %s", cmp.Or(call.Name, call.Title), told)
}
