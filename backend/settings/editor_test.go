package settings

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/backend/desktop/editor"
)

func TestEditorIsReadAndChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"editor": {"use": "zed"}}`:                                "",
		`{"editor": {"use": "custom", "command": "ed {path}"}}`:     "",
		`{"editor": {"use": "zed", "command": "ed {path}:{line}"}}`: "",
		"{\n  \"editor\": {\n    \"use\": \"ed\"\n  }\n}":           `3:12: “use” is "ed"; it must be one of`,
		"{\n  \"editor\": {\"use\": \"custom\"}}":                   "2:13: Enter the command",
		"{\"editor\": {\"use\": \"custom\",\n\"command\": \"ed\"}}": "2:12: The command must contain {path}",
		"{\"editor\": {\n\"command\": \"ed {file} {path}\"}}":       "2:12: The placeholder {file} is unknown.",
		`{"editor": []}`: "1:12: “editor” must be an object",
		"{\"editor\": {\"use\": \"custom\",\n\"command\": [\"ed {path}\"]}}": "2:12: “command” must be a text",
	} {
		_, _, problem := decode([]byte(text))
		got := ""
		if problem != nil {
			got = strings.TrimPrefix(problem.Error(), ":")
		}
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestUnknownFieldsOfTheEditorAreKept(t *testing.T) {
	t.Parallel()
	_, root, problem := decode([]byte(`{"editor": {"use": "zed", "later": 1}}`))
	if problem != nil {
		t.Fatal(problem)
	}
	for _, e := range []Editor{{Use: "cursor"}, {}} {
		s := Default()
		s.Editor = e
		var out struct {
			Editor map[string]any `json:"editor"`
		}
		if err := json.Unmarshal(encode(s, root), &out); err != nil {
			t.Fatal(err)
		}
		if use, _ := out.Editor["use"].(string); use != e.Use || out.Editor["later"] != 1.0 {
			t.Errorf("%+v became %v", e, out.Editor)
		}
	}
	if out := string(encode(Default(), nil)); strings.Contains(out, `"editor"`) {
		t.Errorf("the default is written: %s", out)
	}
}

func TestSchemaHasTheEditors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(schemaName)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Editor struct {
				Properties struct {
					Use struct {
						Enum []string `json:"enum"`
					} `json:"use"`
				} `json:"properties"`
			} `json:"editor"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if got := schema.Properties.Editor.Properties.Use.Enum; !slices.Equal(got, append([]string{""}, editor.Uses()...)) {
		t.Errorf("the schema has %q", got)
	}
}
