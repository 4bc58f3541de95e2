package toolcalls_test

import (
	"runtime"
	"strings"
	"testing"

	"weft/backend/acp"
	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
	"weft/backend/space/toolcalls"
)

// A large output of a call needs memory for one copy, the decoded text, from its line to its events, whether the call
// has ended or not, and also with secrets to hide.
func TestLargeOutputIsCopiedOnce(t *testing.T) { //nolint:paralleltest // measures what is allocated
	const size = 16 << 20
	text := strings.Repeat(`A line of a long file, with \"some\" words.\n`, size/44)
	whole := func(status, rest string) string {
		return `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run","kind":"execute","status":"` + status + `",` + rest + `}`
	}
	content := `"content":[{"type":"content","content":{"type":"text","text":"` + text + `"}}]`
	raw := `"rawOutput":{"stdout":"` + text + `","more":[{"text":"ends with golden"},1]}`
	for name, c := range map[string]struct {
		update string
		copies float64
	}{
		"content":           {whole("completed", content), 1},
		"content, one line": {whole("completed", strings.ReplaceAll(content, `\n`, " ")), 1},
		"content, running":  {whole("in_progress", content), 1},
		"output":            {whole("completed", raw), 1},
		"output, running":   {whole("in_progress", strings.Replace(raw, "golden", "silver", 1)), 1},
		"output, half":      {whole("in_progress", raw), 2}, // the end of it is withheld, in a second one
		"both":              {whole("completed", content+","+raw), 2},
		"both, running":     {whole("in_progress", content+","+raw), 3},
		"terminal":          {whole("in_progress", `"_meta":{"terminal_output":{"terminal_id":"t","data":"`+text+`"}}`), 2}, // the output of a terminal is stored in pieces
	} {
		hide := &secret.Redactor{}
		hide.Add("golden-apple-0815")
		printing := toolcalls.NewPrinting(hide)
		var box transcript.Outbox
		f := transcript.NewFold(&box, transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent})
		d := acp.NewDecoder(func(in *acp.Inbound) {
			if in.Update.Tool != nil {
				printing.Update(in.Update.Tool)
			}
			f.Apply(&in.Update, 1000)
		})
		line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + c.update + `}}`)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d.Line(line)
		runtime.ReadMemStats(&after)
		copies := float64(after.TotalAlloc-before.TotalAlloc) / size
		t.Logf("%s: %.2f times the output", name, copies)
		if copies > c.copies+0.3 {
			t.Errorf("%s: %.2f times the output was allocated, %.0f are right", name, copies, c.copies)
		}
		if box.Size() < size/2 {
			t.Errorf("%s: nothing was shown", name)
		}
	}
}
