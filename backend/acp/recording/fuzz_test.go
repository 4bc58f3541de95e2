package recording

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"weft/backend/acp"
	"weft/backend/conversation/transcript"
)

// FuzzFold sends arbitrary lines of an agent through the decoder and the fold: every event
// must be small and consistent with the ones before.
func FuzzFold(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","content":[{"type":"diff","path":"p","oldText":null,"newText":"y"}]}}}
{"jsonrpc":"2.0","id":"u","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"o","name":"n","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","rawOutput":{"error":"e"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"who_knows","x":[1,2]}}}`))
	f.Add([]byte(strings.Repeat("\x00\xff{", 50) + "\n<html>\n[]\n[{}]\n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var box transcript.Outbox
		var conv transcript.Conversation
		ids, seq, now := 0, int64(0), int64(0)
		turns := transcript.NewTurns(&box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent"}, func() string {
			ids++
			return "m" + strconv.Itoa(ids)
		})
		asked := []string{}
		take := func() {
			for _, body := range box.Take().Bodies {
				seq++
				e := transcript.Event{Epoch: 1, Seq: seq, At: now, Body: body}
				raw, err := e.JSON()
				if err != nil || len(raw) > transcript.MaxEvent {
					t.Fatalf("%s event of %d bytes, %v", body.EventType(), len(raw), err)
				}
				back, err := transcript.ParseEvent(raw)
				if err != nil {
					t.Fatalf("%v\n%s", err, raw)
				}
				if err := conv.Apply(&back); err != nil {
					t.Fatalf("%v\n%s", err, raw)
				}
			}
		}
		decoder := acp.NewDecoder(func(in *acp.Inbound) {
			switch in.Kind {
			case acp.KindUpdate:
				turns.Update(&in.Update, now)
			case acp.KindRequest:
				if req := acp.DecodePermission(in.Request.Params); req.Tool != nil {
					id := "q" + strconv.Itoa(len(asked))
					asked = append(asked, id)
					turns.AskPermission(req.Tool, id, req.Options, nil, now)
				}
			case acp.KindResponse:
				if len(asked) > 0 {
					turns.ResolvePermission(asked[len(asked)-1], transcript.Resolution{Outcome: "selected", OptionID: in.Response.ID}, now)
				}
				turns.Current().End("end_turn", nil, now)
				turns.Begin("r", "")
			default:
			}
		})
		turns.Begin("r0", "")
		for line := range bytes.Lines(lines) {
			now++
			decoder.Line(line)
			take()
		}
		turns.Current().Fail(transcript.Failure{Code: "x", Message: "y"}, now)
		take()
	})
}
