package mcptools

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSummaryIsTheToolsOwn checks that the tool's own sentence is the summary, that 0 stays 0, and that JSON is
// understood.
func TestSummaryIsTheToolsOwn(t *testing.T) {
	texts := func(list ...string) *sdk.CallToolResult {
		res := &sdk.CallToolResult{}
		for _, s := range list {
			res.Content = append(res.Content, &sdk.TextContent{Text: s})
		}
		return res
	}
	for _, c := range []struct {
		res     *sdk.CallToolResult
		line    string
		n       int
		counted bool
	}{
		{texts("No tracks found"), "No tracks found", 0, true},
		{texts("Found 12 tracks matching “jazz”:\n1. A\n2. B"), "Found 12 tracks matching “jazz”", 12, true},
		{texts(`{"tracks":[{"a":1},{"a":2}],"total":40}`), "2 of 40 tracks", 40, true},
		{texts(`{"tracks":[]}`), "No tracks", 0, true},
		{texts(`{"name":"Kettle","price":30}`), "name: Kettle, price: 30", 0, false},
		{texts(`{"id":1}`, `{"id":2}`, `{"id":3}`), "3 results", 3, true},
		{texts("Saved."), "Saved.", 0, false},
		{texts(), "Returned nothing", 0, false},
		{&sdk.CallToolResult{StructuredContent: map[string]any{"totalFound": 7}}, "7 results", 7, true},
	} {
		if line, n, counted := summary(c.res); line != c.line || n != c.n || counted != c.counted {
			t.Errorf("%q %d %v, want %q %d %v", line, n, counted, c.line, c.n, c.counted)
		}
	}
}
