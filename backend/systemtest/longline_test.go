//go:build linux

package systemtest

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"weft/backend/base/raced"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/secrets"
	"weft/backend/api/service/tools"
	"weft/backend/settings"
)

func init() { addScript("endless lines", endlessLines) }

// longUpdates are updates that hold one long string, each around that string.
var longUpdates = map[string][2]string{
	"text":          {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`, `"}}`},
	"thought":       {`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"`, `"}}`},
	"content":       {`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"`, `"}}]}`},
	"running":       {`{"sessionUpdate":"tool_call","toolCallId":"r","title":"Read","kind":"read","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"`, `"}}]}`},
	"diff":          {`{"sessionUpdate":"tool_call","toolCallId":"d","title":"Write","kind":"edit","status":"completed","content":[{"type":"diff","path":"/a.txt","oldText":null,"newText":"`, `"}]}`},
	"rawInput":      {`{"sessionUpdate":"tool_call","toolCallId":"i","title":"Call","kind":"other","status":"completed","rawInput":{"text":"`, `"}}`},
	"rawOutput":     {`{"sessionUpdate":"tool_call","toolCallId":"o","title":"Call","kind":"other","status":"completed","rawOutput":{"output":"`, `"}}`},
	"image":         {`{"sessionUpdate":"tool_call","toolCallId":"p","title":"Look","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"image","mimeType":"image/png","data":"`, `"}}]}`},
	"blocks":        {`{"sessionUpdate":"tool_call","toolCallId":"b","title":"Read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"`, `"}}]}`},
	"rawContent":    {`{"sessionUpdate":"tool_call","toolCallId":"rc","title":"Call","kind":"other","status":"completed","rawOutput":{"content":[{"type":"text","text":"`, `"}]}}`},
	"escaped":       {`{"sessionUpdate":"tool_call","toolCallId":"e","title":"Run","kind":"execute","status":"completed","content":[{"type":"content","content":{"type":"text","text":"`, `"}}]}`},
	"runningOutput": {`{"sessionUpdate":"tool_call","toolCallId":"ro","title":"Run","kind":"execute","status":"in_progress","rawOutput":{"stdout":"`, `"}}`},
	"meta":          {`{"sessionUpdate":"tool_call","toolCallId":"m","title":"Run","kind":"execute","status":"completed","_meta":{"output":"`, `"}}`},
	"pieces":        {},
	"growing":       {},
	"replaced":      {},
	"unknown":       {`{"sessionUpdate":"news_of_tomorrow","text":"`, `"}`},
}

// endlessLines writes one line for each prompt, "kind size", in pieces: it is never in the agent's memory as a whole.
func endlessLines(a *scripted) {
	a.open()
	for {
		kind, size, _ := strings.Cut(a.prompt(), " ")
		unit := `A line of a long file, with \"some\" words.\n`
		if kind == "image" {
			unit = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
		}
		if kind == "blocks" {
			unit = `A line.\n"}},{"type":"content","content":{"type":"text","text":"`
		}
		if kind == "escaped" {
			unit = `\u001b[1m\"\\\u001b[0m\t\/\n`
		}
		around, n := longUpdates[kind], 0
		whole, _ := strconv.Atoi(size)
		if kind == "pieces" || kind == "growing" || kind == "replaced" {
			a.outputInPieces(kind, whole)
			a.end("end_turn")
			continue
		}
		_, _ = os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + around[0])
		for piece := strings.Repeat(unit, 1000); n < whole; n += len(piece) {
			_, _ = os.Stdout.WriteString(piece)
		}
		_, _ = os.Stdout.WriteString(around[1] + "}}\n")
		a.end("end_turn")
	}
}

// outputInPieces writes the output of one call in many updates: "pieces" each with the next 60 KB for its terminal, "replaced" each with other
// content of 1 MB, "growing" each with all of the content up to there.
func (a *scripted) outputInPieces(kind string, whole int) {
	const head = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":`
	write := func(text string) { _, _ = os.Stdout.WriteString(text) }
	write(head + `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Run","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"t"}],"_meta":{"terminal_info":{"terminal_id":"t"}}}}}` + "\n")
	line := `A line of a long file, with \"some\" words.\n`
	piece := strings.Repeat(line, 60_000/len(line))
	for n, sum := 0, 0; sum < whole; n++ {
		switch kind {
		case "pieces":
			write(head + `{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"t","data":"` + piece + `"}}}}}` + "\n")
			sum += len(piece)
		default:
			times := 17
			if kind == "growing" {
				times = 3 * n
			}
			write(head + `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"` + strconv.Itoa(n) + " ")
			for range times {
				write(piece)
			}
			write(`"}}]}}}` + "\n")
			sum += times*len(piece) + 1
		}
	}
	write(head + `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}}}` + "\n")
}

// drained reads the events of a space as fast as it can, and forgets them, until its run has ended.
func (r *room) drained(t testing.TB) {
	t.Helper()
	for {
		var snap conversation.Snapshot
		r.do(t, "OpenSpace", r.ref(), &snap)
		if len(snap.Runs) == 0 {
			return
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			fmt.Sprintf("%s/api/spaces/%s/events?epoch=%d&since=%d", r.Base, r.id, snap.Epoch, snap.Seq), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+r.Key)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReaderSize(res.Body, 64<<10)
		for {
			line, err := lines.ReadString('\n')
			// After a gap, as a page does: from a new snapshot.
			if err != nil || strings.HasPrefix(line, "event: gap") || strings.Contains(line, `"type":"run_completed"`) {
				break
			}
		}
		_ = res.Body.Close()
	}
}

// TestLongLinesStayBounded measures what a line near the limit costs the whole process, however it is sent: reading,
// decoding, the protocol log, storing, and telling a page.
func TestLongLinesStayBounded(t *testing.T) {
	if raced.On {
		t.Skip("the race detector's memory would be measured")
	}
	if testing.Short() {
		t.Skip("takes a minute")
	}
	const size = 60 << 20
	for kind := range longUpdates {
		t.Run(kind, func(t *testing.T) {
			a := launch(t, t.TempDir())
			// What tools print is looked through for known secrets.
			a.do(t, "SetSecretStore", secrets.SecretStoreRequest{Store: "file"}, nil)
			a.do(t, "SaveMCPServer", tools.SaveMCPServerRequest{Server: tools.MCPServerForm{
				Name: "other", Type: "stdio", Command: "/bin/false", SecretEnv: map[string]secrets.SecretInput{"KEY": {Value: "golden-apple-0815"}}, Via: settings.ViaGateway,
			}}, nil)
			r := a.scripted(t, "endless lines")
			r.turn(t, kind+" 1000", "end_turn")
			before, _ := memory(t, a.cmd.Process.Pid)
			r.st.close()
			r.send(t, kind+" "+strconv.Itoa(size))
			r.drained(t)
			after, highest := memory(t, a.cmd.Process.Pid)
			times := float64(highest-before) / size
			t.Logf("%d MB before, %d MB after, %d MB at most: %.1f times the line", before>>20, after>>20, highest>>20, times)
			// What is held are two to three times. On a busy machine the garbage collector comes later, to one more.
			if times > 4 {
				t.Errorf("%.1f times the line, at most 4 are right", times)
			}
			a.stop(t)
		})
	}
}
