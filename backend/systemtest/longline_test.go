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

	"weft/backend/raced"

	"weft/backend/service/mcpservers"
	"weft/backend/service/secrets"
	"weft/backend/service/transcripts"
	"weft/backend/settings"
)

func init() { addScript("endless lines", endlessLines) }

// longUpdates are updates that hold one long string, each around that string.
var longUpdates = map[string][2]string{
	"text":      {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`, `"}}`},
	"thought":   {`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"`, `"}}`},
	"content":   {`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"`, `"}}]}`},
	"running":   {`{"sessionUpdate":"tool_call","toolCallId":"r","title":"Read","kind":"read","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"`, `"}}]}`},
	"diff":      {`{"sessionUpdate":"tool_call","toolCallId":"d","title":"Write","kind":"edit","status":"completed","content":[{"type":"diff","path":"/a.txt","oldText":null,"newText":"`, `"}]}`},
	"rawInput":  {`{"sessionUpdate":"tool_call","toolCallId":"i","title":"Call","kind":"other","status":"completed","rawInput":{"text":"`, `"}}`},
	"rawOutput": {`{"sessionUpdate":"tool_call","toolCallId":"o","title":"Call","kind":"other","status":"completed","rawOutput":{"output":"`, `"}}`},
	"image":     {`{"sessionUpdate":"tool_call","toolCallId":"p","title":"Look","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"image","mimeType":"image/png","data":"`, `"}}]}`},
	"unknown":   {`{"sessionUpdate":"news_of_tomorrow","text":"`, `"}`},
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
		around, n := longUpdates[kind], 0
		_, _ = os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + around[0])
		whole, _ := strconv.Atoi(size)
		for piece := strings.Repeat(unit, 1000); n < whole; n += len(piece) {
			_, _ = os.Stdout.WriteString(piece)
		}
		_, _ = os.Stdout.WriteString(around[1] + "}}\n")
		a.end("end_turn")
	}
}

// drained reads the events of a space as fast as it can, and forgets them, until its run has ended.
func (r *room) drained(t testing.TB) {
	t.Helper()
	for {
		var snap transcripts.Snapshot
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
			a.do(t, "SaveMCPServer", mcpservers.SaveMCPServerRequest{Server: mcpservers.MCPServerForm{
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
