package flat

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// logs are conversations as programs store and export them, and as they are drawn.
var logs = []struct{ name, file, want string }{
	{
		"ChatGPT export", `[{"title":"T","create_time":1700000000.5,"current_node":"c","mapping":{
		"a":{"message":null,"parent":null},
		"s":{"parent":"a","message":{"author":{"role":"system"},"content":{"content_type":"text","parts":[""]}}},
		"b":{"parent":"s","message":{"author":{"role":"user"},"create_time":1700000001.5,"content":{"content_type":"text","parts":["Why?"]}}},
		"t":{"parent":"b","message":{"author":{"role":"assistant"},"recipient":"python","content":{"content_type":"code","text":"1+1"}}},
		"r":{"parent":"t","message":{"author":{"role":"tool","name":"python"},"content":{"content_type":"execution_output","text":"2"}}},
		"o":{"parent":"r","message":{"author":{"role":"tool","name":"memory"},"content":{"content_type":"text","parts":["kept"]}}},
		"c":{"parent":"o","message":{"author":{"role":"assistant"},"recipient":"all","content":{"content_type":"text","parts":["Because."]}}},
		"d":{"parent":"b","message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["another branch"]}}}}}]`,
		`u: "Why?"` + "\n" + `a: [python=completed/2, memory=completed/kept] "Because."`,
	},
	{"a tree that goes in circles", `{"title":"T","current_node":"a","mapping":{"a":{"parent":"b","message":{"author":{"role":"user"},"content":{"parts":["x"]}}},"b":{"parent":"a"}}}`, `u: "x"`},
	{"a tree without its current message", `{"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["x"]}}},"b":{"parent":"a","message":{"author":{"role":"assistant"},"content":{"parts":["y"]}}}}}`, `u: "x"` + "\n" + `a: "y"`},
	{"ShareGPT", `[{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}]`, `u: "a"` + "\n" + `a: "b"`},
	{
		"session file of Claude Code", strings.Join([]string{
			`{"type":"summary","summary":"x","leafUuid":"5"}`,
			`{"type":"file-history-snapshot","snapshot":{}}`,
			`{"type":"user","uuid":"1","cwd":"/p","timestamp":"2025-01-01T00:00:00.5Z","message":{"role":"user","content":"a"}}`,
			`{"type":"assistant","uuid":"2","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}}`,
			`{"type":"assistant","uuid":"3","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}`,
			`{"type":"user","uuid":"4","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"f"}]}}`,
			`{"type":"assistant","uuid":"9","isSidechain":true,"message":{"role":"assistant","content":"of a sub-agent"}}`,
			`{"type":"assistant","uuid":"5","message":{"id":"n","role":"assistant","content":[{"type":"text","text":"b"}]}}`,
		}, "\n"),
		`u: "a"` + "\n" + `a: [(hm), Bash=completed/f] "b"`,
	},
	{
		"session file of Codex", strings.Join([]string{
			`{"timestamp":"2025-01-01T00:00:00Z","type":"session_meta","payload":{"id":"i","cwd":"/p"}}`,
			`{"timestamp":"2025-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}}`,
			`{"type":"event_msg","payload":{"type":"agent_message"}}`,
			`{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x"}}`,
			`{"type":"response_item","payload":{"type":"function_call","call_id":"c","name":"shell","arguments":"{\"command\":[\"ls\"]}"}}`,
			`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"f"}}`,
			`{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"d","name":"apply_patch","input":"*** Begin Patch"}}`,
			`{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"d","output":"Done"}}`,
			`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}}`,
		}, "\n"),
		`u: "a"` + "\n" + `a: [(hm), shell=completed/f, apply_patch=completed/Done] "b"`,
	},
}

func TestSessionFilesOfOtherProgramsAreImported(t *testing.T) {
	for _, f := range logs {
		t.Run(f.name, func(t *testing.T) {
			list := readAll(t, f.file, false)
			if len(list) != 1 || len(list[0].Faults) > 0 {
				t.Fatalf("%d conversations: %+v", len(list), list[0].Faults)
			}
			if got := drawn(t, list[0]); got != f.want {
				t.Errorf("drawn as\n%s\nwant\n%s", got, f.want)
			}
		})
	}
	if c := readAll(t, logs[5].file, false)[0]; c.Folder != "/p" || c.Started == 0 {
		t.Errorf("of Codex: %+v", c)
	}
	if c := readAll(t, logs[4].file, false)[0]; c.Folder != "/p" || len(c.Notes) != 1 || c.Notes[0] != "3 entries that aren't messages were left out." {
		t.Errorf("of Claude Code: %+v", c)
	}
}

func TestBrokenFirstLineRefusesTheMessagesBehindIt(t *testing.T) {
	list := readAll(t, "{\"role\":\"user\",\"content\":\"a\n{\"role\":\"user\",\"content\":\"b\"}\n{\"title\":\"T\"}\n{\"role\":\"user\",\"content\":\"c\"}\n", true)
	if len(list) != 3 || len(list[0].Faults) == 0 || len(list[1].Faults) == 0 || len(list[2].Faults) > 0 || list[2].Title != "T" {
		for _, c := range list {
			t.Errorf("%q: %d messages, %v", c.Title, len(c.Messages), c.Faults)
		}
	}
}

// TestDamagedLogsAreReadOrRefused damages the logs at random positions.
func TestDamagedLogsAreReadOrRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 10))
	for range 1500 {
		bad := []byte(logs[r.IntN(len(logs))].file)
		for range 1 + r.IntN(3) {
			switch r.IntN(3) {
			case 0:
				bad = bad[:1+r.IntN(len(bad))]
			case 1:
				bad[r.IntN(len(bad))] = "\x00\xff\"{}[]:,1\n"[r.IntN(11)]
			default: // a value of another kind
				bad = []byte(strings.Replace(string(bad), []string{`"parent":"`, `"role":"`, `"payload":{`, `"content":`, `"message":{`}[r.IntN(5)], []string{`"parent":"c`, `"role":7,"x":"`, `"payload":[],"y":{`, `"content":null,"z":`, `"message":null,"q":{`}[r.IntN(5)], 1))
			}
		}
		for _, c := range readAll(t, string(bad), r.IntN(2) == 0) {
			if len(c.Faults) == 0 && len(c.Messages) == 0 {
				t.Fatalf("neither messages nor a fault: %q", bad)
			}
			if len(c.Faults) == 0 {
				drawn(t, c)
			}
		}
	}
}
