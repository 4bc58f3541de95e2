package sse

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weft/backend/llm"
)

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"usual", "data: a\n\ndata: b\n\n", []string{"a", "b"}},
		{"line breaks of Windows", "event: x\r\ndata: a\r\n\r\ndata:b\r\n\r\n", []string{"a", "b"}},
		{"comments, ids and several lines", ": hi\n\nid: 1\ndata: a\ndata: b\n\n\n\n", []string{"a\nb"}},
		{"no end", "data: a\n\ndata: b", []string{"a", "b"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(io.MultiReader(strings.NewReader(c.in[:len(c.in)/2]), strings.NewReader(c.in[len(c.in)/2:])))
			var got []string
			for {
				data, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(data))
			}
			if strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestResponseWithoutAStreamIsAnError(t *testing.T) {
	e := llm.Endpoint{Provider: "Somebody", URL: "https://api.example.com"}
	for _, c := range []struct {
		name, kind, body string
		code             llm.Code
		says             string
	}{
		{"a stream", "text/event-stream; charset=utf-8", "<html>", "", ""},
		{"a stream under another name", "text/plain", "data: {}\n\n", "", ""},
		{"a comment first", "", ":\n\n", "", ""},
		{"a web page", "text/html", "<html>", llm.CodeUnreachable, "web page"},
		{"a web page without a name", "", "  <!DOCTYPE html>", llm.CodeUnreachable, "web page"},
		{"JSON", "application/json", `{"message":"go away"}`, llm.CodeUnreachable, "go away"},
		{"nothing", "application/json", "", llm.CodeBroken, "was interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			rec.Header().Set("Content-Type", c.kind)
			_, _ = rec.WriteString(c.body)
			res := rec.Result()
			res.Request = httptest.NewRequest(http.MethodPost, "/", nil)
			err := Check(res, e, time.Now())
			if c.code == "" {
				rest, _ := io.ReadAll(res.Body)
				if err != nil || string(rest) != c.body {
					t.Errorf("%v, %q", err, rest)
				}
				return
			}
			f, ok := errors.AsType[*llm.Error](err)
			if !ok || f.Code != c.code || !strings.Contains(f.Message, c.says) {
				t.Errorf("%+v", err)
			}
		})
	}
}
