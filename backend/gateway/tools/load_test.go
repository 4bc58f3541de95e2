package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadDefinitions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := `{
  "name": "weather",
  "description": "Tells the weather",
  "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
  "displayTool": true,
  "execution": {"mode": "http", "url": "https://weather.example/{{city}}?u=m", "headers": {"X-City": "{{ city }}"}, "timeout": 5000},
  "visibility": "minimal"
}`
	change := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("%q isn't there", from)
		}
		return strings.Replace(strings.Replace(good, from, to, 1), `"weather"`, `"other"`, 1)
	}
	self := `{"type": "object", "properties": {"city": {"$ref": "#"}}}`
	wanted := 0
	for name, c := range map[string]struct {
		text string
		want string // "" is none
	}{
		"a.json":            {good, ""},
		"b.json":            {good, "2:3: The tool weather already exists, from a.json."},
		"bom.json":          {"\xEF\xBB\xBF" + strings.Replace(good, `"weather"`, `"bom"`, 1), ""},
		"tree.json":         {strings.Replace(change(`{"type": "object", "properties": {"city": {"type": "string"}}}`, self), `"other"`, `"tree"`, 1), ""},
		"notes.txt":         {"nothing", ""},
		".hidden.json":      {"nothing", ""},
		"empty.json":        {"", "1:1: This isn't JSON: unexpected EOF."},
		"cut.json":          {good[:60], "3:38: This isn't JSON: unexpected EOF."},
		"comma.json":        {change(`"displayTool": true,`, `"displayTool": true,,`), `5:23: This isn't JSON: invalid character ','`},
		"list.json":         {"[]", "1:1: The definition of a tool must be a JSON object."},
		"type.json":         {change(`"displayTool": true`, `"displayTool": "yes"`), "5:3: displayTool must be true or false."},
		"fraction.json":     {change(`"timeout": 5000`, `"timeout": 0.5`), "6:117: timeout must be a whole number."},
		"name.json":         {strings.Replace(good, `"weather"`, `"the weather"`, 1), `2:3: The name "the weather" must be 1 to 64`},
		"noname.json":       {strings.Replace(good, `"name": "weather",`, ``, 1), "The name \"\" must be"},
		"space.json":        {strings.Replace(good, `"weather"`, `"sendSpaceMessage"`, 1), "2:3: sendSpaceMessage is a tool of Weft."},
		"schema.json":       {change(`{"type": "string"}`, `{"type": "text", "minimum": "x"}`), "4:3: The inputSchema isn't a JSON Schema"},
		"schematype.json":   {change(`{"type": "object"`, `{"type": "string"`), `4:3: The inputSchema must describe an object`},
		"circle.json":       {change(`{"type": "object", "properties": {"city": {"type": "string"}}}`, `{"type": "object", "$ref": "#/$defs/a", "properties": {"city": {}}, "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}}`), "4:3: A $ref of the inputSchema leads back to itself."},
		"far.json":          {change(`{"type": "string"}`, `{"$ref": "https://x.example/schema"}`), "4:3: Weft doesn't follow the $ref"},
		"target.json":       {change(`"city": {"type": "string"}`, `"city": {}, "targetSpaceId": {}`), "4:3: The schema already has a property targetSpaceId"},
		"hiddentarget.json": {change(`{"type": "object", "properties"`, `{"type": "object", "anyOf": [{"required": ["targetSpaceId"]}], "properties"`), "4:3: The schema already has a property targetSpaceId"},
		"mode.json":         {change(`"mode": "http"`, `"mode": "shell"`), `6:17: The mode "shell" must be`},
		"client.json":       {strings.Replace(change(`"mode": "http"`, `"mode": "no-execution"`), `"displayTool": true`, `"displayTool": false`, 1), "6:17: A tool that the user answers must be a display tool"},
		"nothing.json":      {`{"name":"n","description":"d","inputSchema":{"type":"object"}}`, "The tool does nothing"},
		"host.json":         {change(`https://weather.example/`, `https://{{city}}.example/`), "6:33: A placeholder can only be in the path"},
		"port.json":         {change(`https://weather.example/`, `https://weather.example:{{city}}`), "6:33: The url must begin"},
		"file.json":         {change(`https://weather.example/`, `file:///etc/`), "6:33: The url must begin with http"},
		"placeholder.json":  {change(`{{city}}?`, `{{town}}?`), `6:33: The inputSchema has no property "town"`},
		"header.json":       {change(`"X-City": "`, `"X City": "`), `6:80: The header "X City" is invalid`},
		"slow.json":         {change(`"timeout": 5000`, `"timeout": 5000000`), "6:117: The timeout is in milliseconds"},
		"command.json":      {change(`"mode": "http"`, `"mode": "command"`), "A command is required"},
		"visible.json":      {change(`"minimal"`, `"tiny"`), "7:3: The visibility must be"},
		"long.json":         {strings.Repeat(" ", maxDefinitionFile+1), "0:0: The file is larger than 1 MB."},
		"folder.json/x":     {"", ""},
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			continue
		}
		wanted++
		defer func() {
			_, problems := Load(dir)
			for _, p := range problems {
				if p.File == path {
					if !strings.Contains(strings.TrimPrefix(p.String(), path+":"), c.want) {
						t.Errorf("%s\n isn't %s", p, c.want)
					}
					return
				}
			}
			t.Errorf("%s is no problem", name)
		}()
	}
	list, problems := Load(dir)
	names := ""
	for _, d := range list {
		names += d.Name + " "
	}
	if names != "weather bom tree " || len(problems) != wanted {
		t.Errorf("%s with %d problems", names, len(problems))
	}
	for _, p := range problems {
		if !strings.HasSuffix(p.Message, ".") {
			t.Errorf("no sentence: %s", p)
		}
		if p.Said == "" || p.Said.String() != p.Message {
			t.Errorf("%s has the template %s", p, p.Said)
		}
	}
	if list, problems := Load(filepath.Join(dir, "nowhere")); list != nil || problems != nil {
		t.Errorf("%v %v", list, problems)
	}
}

// What models are likely to send to each display, and what is wrong with what they might.
func TestBuiltinSchemas(t *testing.T) {
	t.Parallel()
	byName, definitions := map[string]*Schema{}, map[string]*Definition{}
	for _, b := range Builtins() {
		d := b.Definition
		c, wrong := d.check()
		if wrong != nil {
			t.Fatal(wrong.said)
		}
		byName[d.Name], definitions[d.Name] = c, &d
		if err := c.Fits(&d, d.Example); err != nil {
			t.Errorf("the example of %s: %v", d.Name, err)
		}
		if !d.DisplayTool {
			t.Errorf("%s is no display tool", d.Name)
		}
	}
	for _, c := range []struct{ tool, input, wrong string }{
		{"showApprovalForm", `{"title":"Order?","description":"**Now**","details":[{"label":"Price","value":9.5},{"label":"Express","value":true}],"approveLabel":"Order","rejectLabel":"No","comment":true}`, ""},
		{"showApprovalForm", `{"description":"x"}`, `"title" is missing: it must be a text of 1 to 500 characters. Example: {"`},
		{"showApprovalForm", `{"title":"x","details":[{"label":"Price"}]}`, `"details[0].value" is missing: it must be a text, a number, true or false or null. Example: {"`},
		{"showChoice", `{"question":"Which?","options":[{"id":"a","label":"A","description":"first"}],"multiple":false,"other":true}`, ""},
		{"showChoice", `{"question":"Which?","options":[]}`, `"options" must be a list of 1 to 50 items, each an object with id, label, but it has 0.`},
		{"showChoice", `{"question":"Which?","options":["a"]}`, `"options[0]" must be an object with id, label, but it is a text.`},
		{"showForm", `{"title":"You","schema":{"type":"object","properties":{"name":{"type":"string","title":"Name"}},"required":["name"]},"values":{"name":"x"},"submitLabel":"Go"}`, ""},
		{"showForm", `{"schema":{"type":"string"}}`, `"schema.type" must be "object".`},
		{"showCard", `{"title":"Mug","subtitle":"blue","text":"t","image":"data:image/png;base64,AA==","price":"€ 9","badges":["new"],"fields":[{"label":"Size","value":3}],"actions":[{"id":"buy","label":"Buy","style":"primary"}],"wait":true}`, ""},
		{"showCard", `{"title":"Mug","image":"http://x.example/a.png"}`, `"image" must be a text that matches ^(data:image/|https://). Example: {`},
		{"showCard", `{"title":"Mug","image":"javascript:alert(1)"}`, `"image" must be a text that matches ^(data:image/|https://). Example: {`},
		{"showCard", `{"title":"Mug","colour":"blue"}`, `There is no argument "colour"; the arguments are actions, badges,`},
		{"showTable", `{"columns":[{"key":"a","label":"A","type":"money","align":"right"}],"rows":[{"a":1},{"a":null},{}]}`, ""},
		{"showTable", `{"columns":[{"key":"a","label":"A"}],"rows":[[1]]}`, `"rows[0]" must be an object, but it is a list.`},
		{"showTable", `{"columns":[{"key":"a","label":"A"}],"rows":[{"a":{"b":1}}]}`, `"rows[0].a" must be a text, a number, true or false or null, but it is an object.`},
		{"showChart", `{"type":"bar","series":[{"name":"s","data":[1,2.5,null]}],"labels":["a","b","c"]}`, ""},
		{"showChart", `{"type":"scatter","x":"h","y":"kg","series":[{"name":"s","data":[{"x":1,"y":2},{"x":"b","y":null}]}]}`, ""},
		{"showChart", `{"type":"donut","series":[{"name":"s","data":[1]}]}`, `"type" must be one of "line", "bar", "area", "scatter", "pie".`},
		{"showChart", `{"type":"line","series":[{"name":"s","data":["1"]}]}`, `"series[0].data[0]" must be a number, null or an object with x, y, but it is a text.`},
		{"showChart", `{"type":"line","series":[{"name":"s","data":[{"x":1}]}]}`, `"series[0].data[0].y" is missing: it must be a number or null.`},
		{"showDiff", `{"path":"a.go","oldText":"","newText":"x","language":"go"}`, ""},
		{"showImage", `{"src":"data:image/png;base64,AA==","alt":"a mug","caption":"c"}`, ""},
		{"showImage", `{"src":"https://x.example/a.png","alt":"a mug"}`, `"src" must be a text that matches ^data:image/. Example: {"`},
		{"showMarkdown", `{"text":"# Hello"}`, ""},
		{"showProgress", `{"title":"Work","steps":[{"label":"one","status":"running"}],"percent":12.5}`, ""},
		{"showProgress", `{"title":"Work","percent":150}`, `"percent" must be a number from 0 to 100.`},
		{"showProgress", `5`, `What is sent must be an object with title, but it is a number.`},
	} {
		err := byName[c.tool].Fits(definitions[c.tool], json.RawMessage(c.input))
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), " Example: {")) {
			t.Errorf("%s %s: %v", c.tool, c.input, err)
		}
	}
	// What is wrong is told in a sentence, however long the value is.
	err := byName["showChart"].Fits(definitions["showChart"], json.RawMessage(fmt.Sprintf(`{"type":%q,"series":[{"name":"s","data":[1]}]}`, strings.Repeat("é", 1<<20))))
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "pie") {
		t.Errorf("%.2000v", err)
	}
}
