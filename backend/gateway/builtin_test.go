package gateway

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/conversation/transcript"
	"weft/backend/gateway/tools"
)

// TestCalledDoesNotReadDefinitions: with every update of a call it is asked which tool it is and how it is drawn.
func TestCalledDoesNotReadDefinitions(t *testing.T) { //nolint:paralleltest // allocations are counted
	g := open(t, Options{Host: &fakeHost{}, Definitions: func() []tools.Definition {
		d := acting("showTable", tools.Execution{Mode: tools.ModeHTTP, URL: "http://127.0.0.1:1/"})
		return []tools.Definition{d}
	}})
	input := json.RawMessage(`{"title":"a"}`)
	if n := testing.AllocsPerRun(10, func() {
		d, ok := g.Catalog().Called("mcp__weft__showTable")
		if !ok || d.Drawn() == nil || d.Open(input) {
			t.Error("the tool isn't drawn")
		}
	}); n > 50 {
		t.Errorf("%.0f allocations", n)
	}
}

func TestRetriedResultKeepsServerMeta(t *testing.T) {
	t.Parallel()
	res := tools.Text("done")
	res.Meta = sdk.Meta{"cost": 3.0}
	c := &call{retried: true}
	raw, err := c.outcome(res, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Meta map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &got); err != nil || got.Meta["cost"] != 3.0 || got.Meta[transcript.RetriedMeta] != true {
		t.Errorf("_meta is %v (%v)", got.Meta, err)
	}
	if len(res.Meta) != 1 {
		t.Error("the result of the server was changed")
	}
}
