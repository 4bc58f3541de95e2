package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// components maps the components that can draw a tool to the built-in display tool with the same component, whose
// arguments the component knows. "fields" lists the arguments and the result and has no such tool.
var components = map[string]string{
	"card": "showCard", "table": "showTable", "chart": "showChart", "diff": "showDiff", "markdown": "showMarkdown",
	"image": "showImage", "progress": "showProgress", "fields": "",
}

// componentNames returns the sorted names of the components.
func componentNames() []string { return slices.Sorted(maps.Keys(components)) }

// maxRender is the maximum size of render in bytes. Every call of the tool carries it.
const maxRender = 3 << 10

// readRender decodes render. It returns nil if there is none.
func (d *Definition) readRender() (*Render, *wrong) {
	if len(d.Render) == 0 || string(d.Render) == "null" {
		return nil, nil
	}
	r := &Render{}
	if err := json.Unmarshal(d.Render, &r.Give); err != nil {
		return nil, &wrong{"/render", fault.Say("render must be an object, such as {{example}}.", `{"as": "card", "title": "{{name}}"}`)}
	}
	as, ok := r.Give["as"]
	if ok && json.Unmarshal(as, &r.As) != nil || r.As == "" {
		return nil, &wrong{"/render/as", fault.Say("render requires \"as\": one of {{components}}.", strings.Join(componentNames(), ", "))}
	}
	delete(r.Give, "as")
	if _, known := components[r.As]; !known {
		return nil, &wrong{"/render/as", fault.Say("A tool can't be drawn as {{as}}. Use one of {{components}}.", quoted(r.As, 60), strings.Join(componentNames(), ", "))}
	}
	if len(d.Render) > maxRender {
		return nil, &wrong{"/render", fault.Say("render is longer than 3 KB.")}
	}
	return r, nil
}

// checkRender decodes render and checks its templates against the schema.
func (d *Definition) checkRender(schema *Schema) *wrong {
	r, bad := d.readRender()
	if d.render = r; r == nil {
		return bad
	}
	if !d.DisplayTool {
		return &wrong{"/render", fault.Say("render is for display tools (displayTool: true): other tools aren't shown.")}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Give)) {
		for _, text := range texts(r.Give[name]) {
			for _, m := range placeholderIn.FindAllStringSubmatch(text, -1) {
				of, rest := source(m[1])
				format, _, _ := strings.Cut(m[2], " ")
				at := "/render/" + escaped(name)
				switch {
				case m[1] == "":
					return &wrong{at, fault.Say("A placeholder is empty: write {{argument}} for an argument, {{part}} for a part of the result.", "{{name}}", "{{result.name}}")}
				case of == "args" && len(rest) > 0 && !schema.names(rest[0]):
					return &wrong{at, noProperty(rest[0], m[0])}
				case m[2] != "" && !formats[format]:
					return &wrong{at, fault.Say("There is no format {{format}}. Use one of {{formats}}.", quoted(m[2], 60), strings.Join(slices.Sorted(maps.Keys(formats)), ", "))}
				}
			}
		}
	}
	return nil
}

// unusedRender returns the members of render that its component doesn't use.
func (d *Definition) unusedRender() (names []string) {
	r, bad := d.readRender()
	if bad != nil || r == nil {
		return nil
	}
	known := []string{"title"}
	if b := builtinOf(components[r.As]); b != nil {
		known = append(known, b.known...)
	}
	if r.As == "fields" {
		known = append(known, "fields", "actions")
	}
	for name := range r.Give {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// properties returns the names of a schema's properties.
func properties(schema json.RawMessage) (names []string) {
	var s struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(schema, &s) // none if it can't be decoded
	return slices.Sorted(maps.Keys(s.Properties))
}

// texts returns the strings in a value, without the names of members.
func texts(value json.RawMessage) (list []string) {
	switch jsonKind(value) {
	case '"':
		var s string
		if json.Unmarshal(value, &s) == nil {
			list = append(list, s)
		}
	case '[':
		var all []json.RawMessage
		_ = json.Unmarshal(value, &all) // can't fail for valid JSON
		for _, one := range all {
			list = append(list, texts(one)...)
		}
	case '{':
		var all map[string]json.RawMessage
		_ = json.Unmarshal(value, &all) // the same
		for _, name := range slices.Sorted(maps.Keys(all)) {
			list = append(list, texts(all[name])...)
		}
	}
	return list
}

// Drawn returns how the frontend draws the tool's calls, or nil if the component with the tool's name draws them.
func (d *Definition) Drawn() json.RawMessage {
	switch {
	case d.render != nil:
		return d.Render
	case d.foreign:
		return json.RawMessage(`{"as":"fields"}`)
	}
	return nil
}

// AsOwn returns the definition marked as user-defined.
func (d Definition) AsOwn() Definition {
	d.own, d.foreign = true, reserved(d.Name) && !d.fitsBuiltin()
	return d
}

// Own reports whether the tool is user-defined.
func (d *Definition) Own() bool { return d.own }

// fitsBuiltin reports whether the built-in display with the tool's name can draw its calls, because the tool has all
// arguments that the display requires.
func (d *Definition) fitsBuiltin() bool {
	b := builtinOf(d.Name)
	if b == nil {
		return false
	}
	mine := properties(d.InputSchema)
	return !slices.ContainsFunc(b.required, func(name string) bool { return !slices.Contains(mine, name) })
}

// TitleOf returns the title of a call for the user: from render, from the arguments, or the tool's title or name.
func (d *Definition) TitleOf(input json.RawMessage) string {
	if d.render != nil {
		var template string
		if json.Unmarshal(d.render.Give["title"], &template) == nil {
			if title := fill(template, input, nil); title != "" {
				return clip.Text(title, maxTitle)
			}
		}
	}
	var in struct{ Title, Question string }
	_ = json.Unmarshal(input, &in) // fields that aren't strings stay empty
	for _, s := range []string{in.Title, in.Question, d.Title} {
		if s = strings.TrimSpace(s); s != "" {
			return clip.Text(s, maxTitle)
		}
	}
	return d.Name
}

// Awaits reports whether a call with the input waits for the user's answer.
func (d *Definition) Awaits(input json.RawMessage) bool {
	e := d.Execution
	if e == nil || e.Mode != ModeClient || !d.waits() && len(e.AwaitIf) == 0 {
		return false
	}
	fields := fieldsIn(input)
	for _, name := range e.AwaitIf {
		if isNothing(fields[name]) {
			return false
		}
	}
	return true
}

// waits reports whether calls wait for the user, before AwaitIf is considered.
func (d *Definition) waits() bool {
	if w := d.Execution.Wait; w != "" {
		return w == WaitResult
	}
	return d.render == nil
}

// Open reports whether the user can answer a call that doesn't wait, as long as it is shown: if it has actions, or if
// the tool is user-defined, is answered by the user and doesn't use a built-in component.
func (d *Definition) Open(input json.RawMessage) bool {
	if d.render != nil {
		return !isNothing(d.render.Give["actions"])
	}
	if !isNothing(fieldsIn(input)["actions"]) {
		return true
	}
	if !d.own || d.Execution == nil || d.Execution.Mode != ModeClient || d.Execution.Wait != WaitNone {
		return false
	}
	return d.Drawn() != nil || !reserved(d.Name)
}

func fieldsIn(input json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(input, &fields) // the input was validated as an object
	return fields
}

// isNothing reports whether an argument is absent, null, false, 0 or empty.
func isNothing(value json.RawMessage) bool {
	switch strings.Join(strings.Fields(string(value)), "") {
	case "", "null", "false", "0", `""`, "[]", "{}":
		return true
	}
	return false
}
