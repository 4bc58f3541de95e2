package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// turnPlan is what a scripted model does in a turn: so many rounds with a call of the read tool, then a text. It is
// as JSON in the prompt. Each delta carries the time at which it was written.
type turnPlan struct {
	Rounds int           // with a call
	Deltas int           // of text, per answer
	Gap    time.Duration // between deltas
	Inputs int           // deltas of a call's input
}

// modelMain serves a scripted model over OpenAI's chat completions until its stdin ends; it prints its address.
func modelMain(stdin io.Reader, stdout io.Writer) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(stdout, err)
		return 1
	}
	server := &http.Server{Handler: http.HandlerFunc(answerChat), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends with the process
	fmt.Fprintf(stdout, "http://%s/v1\n", l.Addr())
	_, _ = io.Copy(io.Discard, stdin)
	return 0
}

type chatRequest struct {
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"messages"`
}

// where finds the plan of the turn and how many rounds of it are done.
func (r chatRequest) where() (p turnPlan, done int) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := r.Messages[i]
		switch m.Role {
		case "tool":
			done++
		case "user":
			text, _ := json.Marshal(m.Content)
			var said string
			if json.Unmarshal(text, &said) != nil { // a list of parts
				var parts []struct{ Text string }
				_ = json.Unmarshal(text, &parts)
				for _, part := range parts {
					said += part.Text
				}
			}
			_ = json.Unmarshal([]byte(said), &p)
			return p, done
		}
	}
	return p, done
}

func answerChat(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	var req chatRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	plan, done := req.where()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(delta, finish string) {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		_ = flush.Flush() // a client that is gone is seen by the next write
	}
	for range plan.Deltas {
		time.Sleep(plan.Gap)
		send(fmt.Sprintf(`{"content":"at %d and a few words more. "}`, clock()), "null")
	}
	finish := `"stop"`
	if done < plan.Rounds {
		finish = `"tool_calls"`
		send(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.txt\",\"note\":\""}}]}`, clock()), "null")
		for range plan.Inputs {
			time.Sleep(plan.Gap)
			send(fmt.Sprintf(`{"tool_calls":[{"index":0,"function":{"arguments":"at %d "}}]}`, clock()), "null")
		}
		send(`{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}`, "null")
	}
	send("{}", finish)
	fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}}`+"\n\ndata: [DONE]\n\n")
}
