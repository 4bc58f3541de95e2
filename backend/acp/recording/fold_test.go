package recording

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/conversation/transcript"
)

var update = flag.Bool("update", false, "write the golden transcripts anew")

// TestGoldens folds conversations of real agents. Review changes of the transcripts next to
// the recordings (-update) like code.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			folded, err := Fold(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".jsonl") + ".txt"
			got := folded.Text()
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the transcript differs from %s:\n%s", golden, got)
			}
			checkAgainst(t, raw, folded)
		})
	}
}

// piece is a tool call, or the text between two of them.
type piece struct{ text, call string }

// checkAgainst compares the order of text and calls with the recording, read without the decoder.
func checkAgainst(t *testing.T, raw []byte, folded *Folded) {
	t.Helper()
	var want []piece
	seen := map[string]bool{}
	in := NewReader(bytes.NewReader(raw))
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Method string `json:"method"`
			Params struct {
				Update struct {
					Kind    string `json:"sessionUpdate"`
					ID      string `json:"toolCallId"`
					Content any    `json:"content"`
				} `json:"update"`
				ToolCall struct {
					ID string `json:"toolCallId"`
				} `json:"toolCall"`
			} `json:"params"`
		}
		if e.Dir != FromAgent || e.Msg == nil || json.Unmarshal(e.Msg, &m, lenient) != nil {
			continue
		}
		u := m.Params.Update
		if c, ok := u.Content.(map[string]any); ok && u.Kind == "agent_message_chunk" && c["type"] == "text" {
			want = add(want, piece{text: c["text"].(string)})
		}
		id := m.Params.ToolCall.ID
		if strings.HasPrefix(u.Kind, "tool_call") {
			id = u.ID
		}
		if id != "" && !seen[id] {
			seen[id] = true
			want = append(want, piece{call: id})
		}
	}
	var got []piece
	for _, m := range folded.Messages {
		if m.Role != transcript.RoleAgent {
			continue
		}
		for _, s := range m.Segments {
			if s.Type == transcript.SegmentText && s.Author == "" {
				got = add(got, piece{text: s.Text})
			}
			for _, it := range s.Items {
				if it.Call != nil {
					got = append(got, piece{call: it.Call.ID})
				}
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("text and calls stand in another order:\n%v\nthe recording has\n%v", got, want)
	}
}

func add(list []piece, p piece) []piece {
	if n := len(list); n > 0 && list[n-1].call == "" {
		list[n-1].text += p.text
		return list
	}
	if p.text == "" {
		return list
	}
	return append(list, p)
}

func TestFoldSkipsForeignLines(t *testing.T) {
	const line = `{"t":1,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}}`
	folded, err := Fold(strings.NewReader("what is this\n" + line + "\n{\"t\":2,\"dir"))
	if err != nil || len(folded.Skipped) != 2 || len(folded.Messages) != 2 || folded.Messages[0].Content() != "hi" {
		t.Errorf("%v, skipped %v, %d messages", err, folded.Skipped, len(folded.Messages))
	}
}

func TestFoldJSONIsComplete(t *testing.T) {
	var out, errs bytes.Buffer
	if code := PrintFolded("testdata/opencode-interleave.jsonl", true, nil, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var got struct {
		Messages []struct {
			Segments []struct{} `json:"segments"`
		} `json:"messages"`
		Usage map[string]any `json:"usage"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Messages) != 2 || len(got.Messages[1].Segments) != 12 || got.Usage["used"] == nil {
		t.Errorf("%d messages, usage %v", len(got.Messages), got.Usage)
	}
}
