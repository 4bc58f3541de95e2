package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loadOne loads one definition file and returns its definition, whether it loaded, and what is told about it.
func loadOne(t *testing.T, text string) (d Definition, ok bool, told []Problem) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, told := Load(dir)
	if len(list) > 0 {
		d, ok = list[0], true
	}
	return d, ok, told
}

func TestDefinitionsForOtherProgramsLoad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		warnings   []string // line: text, in their order
		mode, wait string
		schema     string
	}{
		{
			"with only properties", `{"name":"showProductCard","description":"Shows a product","inputSchema":{"properties":{"name":{"type":"string"}}},"displayTool":true,"executionType":"client"}`,
			nil, "", "", `{"type":"object","properties":{"name":{"type":"string"}}}`,
		},
		{
			"without a description", "{\"name\":\"showProductCard\",\n\"inputSchema\":{\"type\":\"object\"},\"displayTool\":true}",
			[]string{"1: There is no description"},
			"", "", `{"type":"object"}`,
		},
		{
			"with an empty description", "{\"name\":\"showProductCard\",\n\"description\":\" \",\"inputSchema\":{\"type\":\"object\"},\"displayTool\":true}",
			[]string{"2: There is no description"},
			"", "", `{"type":"object"}`,
		},
		{"without a schema", `{"name":"showProductCard","description":"d","displayTool":true}`, []string{"1: There is no inputSchema"}, "", "", `{"type":"object"}`},
		{
			"with unknown fields", "{\"name\":\"a\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},\"displayTool\":true,\n\"category\":\"shop\",\n\"display_tool\":true}",
			[]string{`2: The field "category" is ignored: Weft doesn't know it.`, `3: The field "display_tool" is ignored. Did you mean displayTool?`},
			"", "", `{"type":"object"}`,
		},
		{
			"with an unknown field of the execution", "{\"name\":\"a\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},\"execution\":{\"mode\":\"http\",\n\"url\":\"https://x.example\",\n\"timeOut\":3}}",
			[]string{`3: The field "timeOut" is ignored. Did you mean timeout?`},
			ModeHTTP, "", `{"type":"object"}`,
		},
		{"answered by the user", `{"name":"a","description":"d","inputSchema":{"type":"object"},"displayTool":true,"execution":{"mode":"no-execution"}}`, nil, ModeClient, "", `{"type":"object"}`},
		{"answered by the user, in other words", `{"name":"a","description":"d","inputSchema":{"type":"object"},"displayTool":true,"executionType":"no-execution"}`, nil, ModeClient, "", `{"type":"object"}`},
		{"that doesn't wait", `{"name":"a","description":"d","inputSchema":{"type":"object"},"displayTool":true,"executionType":"client","wait":"none"}`, nil, ModeClient, WaitNone, `{"type":"object"}`},
		{"whose execution doesn't wait", `{"name":"a","description":"d","inputSchema":{"type":"object"},"displayTool":true,"executionType":"client","execution":{"wait":"none"}}`, nil, ModeClient, WaitNone, `{"type":"object"}`},
		{"run by a server", `{"name":"a","description":"d","inputSchema":{"type":"object"},"executionType":"server","execution":{"url":"https://x.example"}}`, nil, ModeHTTP, "", `{"type":"object"}`},
		{"run by a command", `{"name":"a","description":"d","inputSchema":{"type":"object"},"executionType":"server","execution":{"command":"ls"}}`, nil, ModeCommand, "", `{"type":"object"}`},
		{"run by nobody", `{"name":"a","description":"d","inputSchema":{"type":"object"},"displayTool":true,"executionType":"server"}`, []string{"1: The tool has no execution"}, "", "", `{"type":"object"}`},
		{
			"that says two things", `{"name":"a","description":"d","inputSchema":{"type":"object"},"displayTool":true,"executionType":"client","execution":{"mode":"http","url":"https://x.example"}}`,
			[]string{`1: The executionType "client" is ignored: the execution has the mode http.`},
			ModeHTTP, "", `{"type":"object"}`,
		},
		{"with another word", `{"name":"a","description":"d","inputSchema":{"type":"object"},"displayTool":true,"executionType":"quantum"}`, []string{`1: The executionType "quantum" is ignored`}, "", "", `{"type":"object"}`},
		{"of a taken name", "{\n\"name\":\"showCard\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},\"displayTool\":true}", []string{"2: This tool replaces Weft's showCard."}, "", "", `{"type":"object"}`},
	} {
		d, ok, told := loadOne(t, c.text)
		if !ok {
			t.Errorf("a definition %s doesn't load: %v", c.name, told)
			continue
		}
		if len(told) != len(c.warnings) {
			t.Errorf("%s: %v", c.name, told)
			continue
		}
		for i, p := range told {
			line, text, _ := strings.Cut(c.warnings[i], ": ")
			if !p.Warning || !strings.Contains(p.String(), "one.json:"+line+":") || !strings.HasPrefix(p.Message, text) || !strings.HasSuffix(p.Message, ".") && !strings.HasSuffix(p.Message, "?") {
				t.Errorf("%s: %s, want %s", c.name, p, c.warnings[i])
			}
		}
		e := Execution{}
		if d.Execution != nil {
			e = *d.Execution
		}
		if e.Mode != c.mode || e.Wait != c.wait || string(d.InputSchema) != c.schema || d.Description == "" {
			t.Errorf("%s: %q %q %s %q", c.name, e.Mode, e.Wait, d.InputSchema, d.Description)
		}
	}
}

func TestInvalidDefinitionsAreReportedWithLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.json": "{\n\n\"name\": \"a b\"}", "b.json": "{\n\"name\": \"b\",,}", "c.json": `{"name":"c","inputSchema":{"type":"object"},"displayTool":true,"description":"d"}`,
		"d.json": "{\"name\":\"d\",\"description\":\"d\",\n\"wait\":\"later\",\"displayTool\":true,\"inputSchema\":{\"type\":\"object\"}}",
		"e.json": "{\"name\":\"e\",\"description\":\"d\",\"displayTool\":true,\"inputSchema\":{\"properties\":{\"a\":{}}},\n\"render\":{\"as\":\"card\",\n\"title\":\"{{b}}\"}}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, told := Load(dir)
	if len(list) != 1 || list[0].Name != "c" {
		t.Errorf("%v", list)
	}
	var lines []string
	for _, p := range told {
		if !p.Warning {
			lines = append(lines, filepath.Base(p.File)+":"+string(rune('0'+p.Line)))
		}
	}
	if got := strings.Join(lines, " "); got != "a.json:3 b.json:2 d.json:2 e.json:3" {
		t.Errorf("%s of %v", got, told)
	}
}

func TestRenderIsChecked(t *testing.T) {
	t.Parallel()
	tool := func(render string) string {
		return `{"name":"showProductCard","description":"d","displayTool":true,"inputSchema":{"properties":{"name":{"type":"string"},"price":{"type":"number"}}},"render":` + render + `}`
	}
	for _, c := range []struct{ render, want string }{
		{`{"as":"card","title":"{{name}} — {{price | money}}","fields":[{"label":"Found","value":"{{result.total}}"}],"actions":[{"id":"select","label":"Select"}]}`, ""},
		{`{"as":"table","rows":"{{result.items}}","columns":[{"key":"name","label":"Name"}]}`, ""},
		{`"card"`, "render must be an object"},
		{`{"title":"x"}`, `render requires "as": one of card, chart, diff, fields, image, markdown, progress, table.`},
		{`{"as":"carousel"}`, `A tool can't be drawn as "carousel".`},
		{`{"as":"card","title":"{{town}}"}`, `The inputSchema has no property "town" for the placeholder {{town}}.`},
		{`{"as":"card","fields":[{"label":"a","value":"{{args.town}}"}]}`, `The inputSchema has no property "town"`},
		{`{"as":"card","title":"{{price | euros}}"}`, `There is no format "euros". Use one of json, list, money, number, percent.`},
		{`{"as":"card","title":"{{ }}"}`, "A placeholder is empty"},
		{`{"as":"card","colour":"red"}`, `"colour" of render isn't used`},
		{`{"as":"card","text":"` + strings.Repeat("x", maxRender) + `"}`, "render is longer than 3 KB."},
	} {
		_, ok, told := loadOne(t, tool(c.render))
		switch {
		case c.want == "" && (!ok || len(told) > 0):
			t.Errorf("%s: %v", c.render, told)
		case c.want != "" && (len(told) != 1 || !strings.HasPrefix(told[0].Message, c.want) || ok != told[0].Warning):
			t.Errorf("%s: %v, want %s", c.render, told, c.want)
		}
	}
	if _, ok, told := loadOne(t, strings.Replace(tool(`{"as":"card"}`), `"displayTool":true`, `"execution":{"mode":"http","url":"https://x.example"}`, 1)); ok || len(told) != 1 {
		t.Errorf("a tool that is shown nowhere is drawn: %v", told)
	}
}

// The table is also that of the frontend's templates.
func TestTemplates(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/templates.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Template     string
		Args, Result json.RawMessage
		Want         string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if got := fill(c.Template, c.Args, c.Result); got != c.Want {
			t.Errorf("%s of %s and %s is %q, want %q", c.Template, c.Args, c.Result, got, c.Want)
		}
	}
}

func TestCallWaitsOrCanBeAnswered(t *testing.T) {
	t.Parallel()
	own := func(more string) Definition {
		d, ok, told := loadOne(t, `{"name":"showProductCard","description":"d","displayTool":true,"inputSchema":{"properties":{"name":{"type":"string"},"actions":{},"wait":{}}},`+more+`}`)
		if !ok {
			t.Fatal(told)
		}
		return d.AsOwn()
	}
	builtin := map[string]Definition{}
	for _, d := range Builtins() {
		builtin[d.Name] = d.Definition
	}
	const buttons = `{"title":"a","actions":[{"id":"x","label":"X"}]}`
	for _, c := range []struct {
		name        string
		d           Definition
		input       string
		await, open bool
	}{
		{"a form", builtin["showForm"], `{"schema":{}}`, true, false},
		{"an approval", builtin["showApprovalForm"], `{"title":"a"}`, true, false},
		{"a card", builtin["showCard"], `{"title":"a"}`, false, false},
		{"a card with buttons", builtin["showCard"], buttons, false, true},
		{"a card that waits", builtin["showCard"], `{"title":"a","actions":[{"id":"x","label":"X"}],"wait":true}`, true, true},
		{"a chart", builtin["showChart"], `{}`, false, false},
		{"an own tool", own(`"execution":{"mode":"no-execution"}`), `{"name":"a"}`, true, false},
		{"an own card", own(`"execution":{"mode":"no-execution"},"render":{"as":"card","title":"{{name}}"}`), `{"name":"a"}`, false, false},
		{"an own card with a button", own(`"execution":{"mode":"no-execution"},"render":{"as":"card","title":"{{name}}","actions":[{"id":"s","label":"Select"}]}`), `{"name":"a"}`, false, true},
		{"an own card that waits", own(`"execution":{"mode":"no-execution","wait":"result"},"render":{"as":"card","title":"{{name}}","actions":[{"id":"s","label":"Select"}]}`), `{"name":"a"}`, true, true},
		{"an own tool that doesn't wait", own(`"execution":{"mode":"no-execution","wait":"none"}`), `{"name":"a"}`, false, true},
		{"an own tool that is only drawn", own(`"executionType":"client"`), `{"name":"a"}`, false, false},
		{"an own tool that is only drawn, with buttons", own(`"executionType":"client"`), buttons, false, true},
	} {
		if got := c.d.Awaits(json.RawMessage(c.input)); got != c.await {
			t.Errorf("%s waits: %v", c.name, got)
		}
		if got := c.d.Open(json.RawMessage(c.input)); got != c.open {
			t.Errorf("%s can be answered: %v", c.name, got)
		}
	}
}
