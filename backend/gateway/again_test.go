package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/gateway/tools"
)

// TestRepeat: what failed for a reason that passes is called once more where that does no harm, and never else.
func TestRepeat(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		n := asked[r.URL.Path]
		mu.Unlock()
		status, times, _ := strings.Cut(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], "x")
		if most, _ := strconv.Atoi(times); n <= most {
			code, _ := strconv.Atoi(status)
			w.WriteHeader(code)
			return
		}
		_, _ = w.Write([]byte("done"))
	}))
	t.Cleanup(web.Close)
	var retried []string
	h := &fakeHost{retried: func(tool string) { mu.Lock(); defer mu.Unlock(); retried = append(retried, tool) }}
	type one struct {
		name, method, path string
		asked              int
		fails              bool
	}
	list := []one{
		{"get503", "GET", "/a/503x1", 2, false},
		{"post503", "POST", "/b/503x1", 2, false},
		{"post429", "POST", "/c/429x1", 2, false},
		{"get502", "GET", "/d/502x1", 2, false},
		{"post500", "POST", "/e/500x1", 1, true},
		{"get404", "GET", "/f/404x1", 1, true},
		{"get501", "GET", "/g/501x1", 1, true},
		{"twice", "GET", "/h/503x2", 2, true},
		{"well", "GET", "/i/200x0", 1, false},
	}
	g := open(t, Options{Host: h, retryDelay: time.Millisecond, Definitions: func() []tools.Definition {
		var defs []tools.Definition
		for _, o := range list {
			defs = append(defs, acting(o.name, tools.Execution{Mode: tools.ModeHTTP, Method: o.method, URL: web.URL + o.path}))
		}
		return defs
	}})
	client, _ := dial(t, g, nil)
	want := 0
	for _, o := range list {
		got, failed := calls(t.Context(), t, client, o.name, `{}`)
		mu.Lock()
		n := asked[o.path]
		mu.Unlock()
		if n != o.asked || failed != o.fails {
			t.Errorf("%s was asked %d times, failed %v: %q", o.name, n, failed, got)
		}
		if o.asked == 2 {
			want++
		}
	}
	if mu.Lock(); len(retried) != want {
		t.Errorf("retried: %q", retried)
	}
	mu.Unlock()
}

// TestRetriedCallAsksForPermissionAgain: the user asks for a failed call once more, and permission knows it.
func TestRetriedCallAsksForPermissionAgain(t *testing.T) {
	t.Parallel()
	up := false
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !up {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte("done"))
	}))
	t.Cleanup(web.Close)
	var asked []bool
	h := &fakeHost{permit: func(_ context.Context, _ Caller, p Permit) error { asked = append(asked, p.Again); return nil }}
	g := open(t, Options{Host: h, retryDelay: time.Millisecond, Definitions: func() []tools.Definition {
		return []tools.Definition{acting("push", tools.Execution{Mode: tools.ModeHTTP, Method: "POST", URL: web.URL})}
	}})
	client, _ := dial(t, g, nil)
	if got, failed := calls(t.Context(), t, client, "push", `{}`); !failed {
		t.Fatal(got)
	}
	up = true
	out, err := g.Again(t.Context(), Caller{SpaceID: "s"}, "push", json.RawMessage(`{}`))
	if err != nil || !strings.Contains(string(out), `"done"`) || len(asked) != 2 || asked[0] || !asked[1] {
		t.Errorf("%s, %v, %v", out, err, asked)
	}
	if _, err := g.Again(t.Context(), Caller{}, "gone", nil); err == nil {
		t.Error("a tool that isn't there was called")
	}
}
