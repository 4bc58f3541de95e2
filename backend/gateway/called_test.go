package gateway

import (
	"testing"

	"weft/backend/gateway/tools"
)

func TestCalled(t *testing.T) {
	def := func(name string) tools.Definition {
		return tools.Definition{Name: name, Description: "x", InputSchema: []byte(`{"type":"object"}`), DisplayTool: true}
	}
	g, err := Open(Options{Host: &fakeHost{}, Definitions: func() []tools.Definition {
		return []tools.Definition{def("search"), def("order-status"), def("a-b"), def("a_b"), def("c-d_e"), def("c_d-e")}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close(t.Context()) })
	for as, want := range map[string]string{
		"mcp__weft__search": "search", "weft_search": "search", "weft__search": "search", "weft-search": "search", "weft/search": "search", "weft.search": "search",
		"mcp_weft_search": "search", "mcp.weft.search": "search", "Tool: weft/search": "search", "weft: search": "search",
		"search (weft MCP Server)": "search", "search (weft)": "search", `search (weft MCP Server): {"q":1}`: "search", "mcp__weft__search: apples": "search",
		"weft_order-status": "order-status", "mcp__weft__order_status": "order-status",
		"mcp__weft__a_b": "a_b", "mcp__weft__a-b": "a-b", "weft_c_d_e": "",
		"showCard": "showCard", "mcp__weft__showCard": "showCard", "weft_showCard": "showCard", "showCard (weft MCP Server)": "showCard", "mcp__house__showCard": "showCard",
		"listSpaces": "listSpaces", "MCP: sendSpaceMessage": "sendSpaceMessage", "weft - search": "search",

		"search": "", "Search": "", "search the web": "", "mcp__other__search": "", "weft": "", "weft_": "", "weft_nothing": "", "search (house MCP Server)": "",
		"search weft": "", "search for (weft)": "", "weft search": "", "grep weft_search": "", "/home/weft/search": "", "weft/search.go": "", "weftsearch": "", "search (weftless)": "",
		"showBoard": "", "grep -rn showCard .": "", "tools/showCard.json": "", "showCards": "", "reshowCard": "", "": "",
	} {
		if d, ok := g.Catalog().Called(as); d.Name != want || ok != (want != "") {
			t.Errorf("%q is %q, and not %q", as, d.Name, want)
		}
	}
}
