package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"weft/backend/clip"
	"weft/backend/fault"
)

// components are what a tool can be drawn as, with the display tool of Weft that has the same component: its arguments are what the
// component knows. Of "fields" there is none: it writes out the arguments and the result.
var components = map[string]string{
	"card": "showCard", "table": "showTable", "chart": "showChart", "diff": "showDiff", "markdown": "showMarkdown",
	"image": "showImage", "progress": "showProgress", "fields": "",
}

// componentNames lists what a tool can be drawn as.
func componentNames() []string { return slices.Sorted(maps.Keys(components)) }

// maxRender is the largest render, in bytes: every call that is drawn so carries it.
const maxRender = 3 << 10

// readRender takes render apart.
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

// checkRender reads render and holds its templates against the schema.
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

// unusedRender are the members of render that its component does not draw.
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

// properties are the names that a schema has properties for.
func properties(schema json.RawMessage) (names []string) {
	var s struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(schema, &s) // a schema that cannot be read has none
	return slices.Sorted(maps.Keys(s.Properties))
}

// texts are the strings in a value, names of members left out.
func texts(value json.RawMessage) (list []string) {
	switch begins(value) {
	case '"':
		var s string
		if json.Unmarshal(value, &s) == nil {
			list = append(list, s)
		}
	case '[':
		var all []json.RawMessage
		_ = json.Unmarshal(value, &all) // it is part of a value that was read
		for _, one := range all {
			list = append(list, texts(one)...)
		}
	case '{':
		var all map[string]json.RawMessage
		_ = json.Unmarshal(value, &all) // likewise
		for _, name := range slices.Sorted(maps.Keys(all)) {
			list = append(list, texts(all[name])...)
		}
	}
	return list
}

// Drawn is what the frontend needs to draw the calls of a tool that are not drawn by a component of the tool's own name; nil for
// others.
func (d *Definition) Drawn() json.RawMessage {
	switch {
	case d.render != nil:
		return d.Render
	case d.foreign:
		return json.RawMessage(`{"as":"fields"}`)
	}
	return nil
}

// AsOwn returns the definition as one from a file of the user's.
func (d Definition) AsOwn() Definition {
	d.own, d.foreign = true, reserved(d.Name) && !d.fitsBuiltin()
	return d
}

// Own reports whether a definition is from a file of the user's.
func (d *Definition) Own() bool { return d.own }

// fitsBuiltin reports whether the display of Weft that a tool has taken the name of can draw its calls: it has the arguments that this
// one cannot do without.
func (d *Definition) fitsBuiltin() bool {
	b := builtinOf(d.Name)
	if b == nil {
		return false
	}
	mine := properties(d.InputSchema)
	return !slices.ContainsFunc(b.required, func(name string) bool { return !slices.Contains(mine, name) })
}

// TitleOf is what a call is called for the user: what the definition or the call itself says, else the tool's title or name.
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
	_ = json.Unmarshal(input, &in) // what is no text is no title
	for _, s := range []string{in.Title, in.Question, d.Title} {
		if s = strings.TrimSpace(s); s != "" {
			return clip.Text(s, maxTitle)
		}
	}
	return d.Name
}

// Awaits reports whether a call with that input waits for the user's answer.
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

// waits reports whether a tool that the user answers waits, as far as it is not said call by call.
func (d *Definition) waits() bool {
	if w := d.Execution.Wait; w != "" {
		return w == WaitResult
	}
	return d.render == nil
}

// Open reports whether a call with that input, which does not wait, can be answered all the same for as long as it is shown: where
// there are buttons, and where the tool is one that the user answers without saying how.
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
	_ = json.Unmarshal(input, &fields) // it fits the schema of an object
	return fields
}

// isNothing reports whether an argument is left out, or as good as that.
func isNothing(value json.RawMessage) bool {
	switch strings.Join(strings.Fields(string(value)), "") {
	case "", "null", "false", "0", `""`, "[]", "{}":
		return true
	}
	return false
}
