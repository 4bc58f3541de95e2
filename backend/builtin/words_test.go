package builtin

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/builtin/tool"
	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// The window translates the names of modes, options, commands, permission answers and sign-in methods, so it must know
// their templates.
func TestNamesOfAgentHaveTemplates(t *testing.T) {
	raw, err := os.ReadFile("../../frontend/src/i18n/backend/templates.json")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	if err := json.Unmarshal(raw, &known); err != nil {
		t.Fatal(err)
	}
	check := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if name != "" && !slices.Contains(known, name) {
				t.Errorf("%q has no template: use fault.Text", name)
			}
		}
	}
	said := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for _, offline := range []bool{true, false} {
		sel := &selection{options: options{Mode: modeAsk}}
		for _, o := range sel.choices(offline) {
			check(o.Select.Name, said(o.Select.Description))
			for _, c := range *o.Select.Options.Ungrouped {
				check(c.Name, said(c.Description))
			}
		}
	}
	for _, c := range slices.Concat(guideCommands, modelCommands) {
		check(c.Description)
		if c.Input != nil {
			check(c.Input.Unstructured.Hint)
		}
	}
	for _, effect := range []tool.Effect{tool.Edits, tool.Fetches, tool.Executes} {
		for _, o := range (&doing{ready: tool.Prepared{Effect: effect, Grant: "edit", GrantName: fault.Say("Allow all edits in this session")}}).offers() {
			check(o.Name)
		}
	}
	openAI, _ := provider.ByID(provider.OpenAI)
	openAI.Name = "{{provider}}" // filling {{provider}} with itself gives the template
	for _, way := range newKeys(openAI, &secret.Redactor{}).waysToSignIn() {
		switch {
		case way.EnvVar != nil:
			check(way.EnvVar.Name, said(way.EnvVar.Description), said(way.EnvVar.Vars[0].Label))
		case way.Terminal != nil:
			check(way.Terminal.Name, said(way.Terminal.Description))
		}
	}
}
