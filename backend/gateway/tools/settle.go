package tools

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// complete fills in missing fields of a definition from the others and returns warnings. It ignores unknown fields,
// because definitions are often written for other programs, too.
func (d *Definition) complete(text []byte) (told []wrong) {
	tell := func(at string, sentence fault.Said) { told = append(told, wrong{at, sentence}) }
	for _, name := range unknownMembers(text, "", reflect.TypeFor[Definition]()) {
		tell("/"+escaped(name), unknownField(name, reflect.TypeFor[Definition]()))
	}
	for _, name := range unknownMembers(text, "execution", reflect.TypeFor[Execution]()) {
		tell("/execution/"+escaped(name), unknownField(name, reflect.TypeFor[Execution]()))
	}
	if d.Title = strings.TrimSpace(d.Title); len(d.Title) > maxTitle {
		d.Title = clip.Text(d.Title, maxTitle)
	}
	if strings.TrimSpace(d.Description) == "" {
		tell("/description", fault.Say("There is no description, so a model only knows the name of the tool."))
		if d.Description = d.Title; d.Description == "" {
			d.Description = d.Name
		}
	}
	if len(bytes.TrimSpace(d.InputSchema)) == 0 || string(d.InputSchema) == "null" {
		tell("/inputSchema", fault.Say("There is no inputSchema, so the tool takes any arguments."))
		d.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	d.InputSchema = typed(d.InputSchema)
	d.completeExecution(tell)
	for _, name := range d.unusedRender() {
		tell("/render/"+escaped(name), fault.Say("{{name}} of render isn't used: the component doesn't draw it.", quoted(name, 60)))
	}
	return told
}

const maxTitle = 200 // bytes

// completeExecution determines who executes the tool, which a definition can express in several ways.
func (d *Definition) completeExecution(tell func(at string, sentence fault.Said)) {
	client := slices.Contains([]string{"client", "user", "frontend", ModeClient}, d.ExecutionType)
	server := slices.Contains([]string{"server", "backend", ModeHTTP, ModeCommand}, d.ExecutionType)
	if d.ExecutionType != "" && !client && !server {
		tell("/executionType", fault.Say("The executionType {{type}} is ignored: Weft knows client and server.", quoted(d.ExecutionType, 60)))
	}
	if d.Execution == nil && (d.Wait != "" && d.DisplayTool || d.ExecutionType == ModeClient) {
		d.Execution = &Execution{Mode: ModeClient}
	}
	e := d.Execution
	if e == nil {
		if server && d.DisplayTool {
			tell("/executionType", fault.Say("The tool has no execution (with a url or a command), so its calls are only shown."))
		}
		return
	}
	if e.Mode == "" {
		switch {
		case e.URL != "":
			e.Mode = ModeHTTP
		case e.Command != "":
			e.Mode = ModeCommand
		case client:
			e.Mode = ModeClient
		}
	}
	if client && (e.Mode == ModeHTTP || e.Mode == ModeCommand) || server && e.Mode == ModeClient {
		tell("/executionType", fault.Say("The executionType {{type}} is ignored: the execution has the mode {{mode}}.", quoted(d.ExecutionType, 60), e.Mode))
	}
	if e.Wait == "" {
		e.Wait = d.Wait
	} else if d.Wait != "" && d.Wait != e.Wait {
		tell("/wait", fault.Say("wait is ignored: the execution says {{wait}}.", quoted(e.Wait, 60)))
		d.Wait = ""
	}
}

// typed returns a schema with the type object, unless it already has a type or a reference.
func typed(schema json.RawMessage) json.RawMessage {
	list, err := Members(schema)
	if err != nil {
		return schema // Compile reports the error
	}
	for _, m := range list {
		if m.Name == "type" || m.Name == "$ref" {
			return schema
		}
	}
	out, err := object(append([]Member{{"type", json.RawMessage(`"object"`)}}, list...))
	if err != nil {
		return schema
	}
	return out
}

// unknownMembers returns the members of a definition, or of its member inside, that the type known has no field for.
func unknownMembers(text []byte, inside string, known reflect.Type) (names []string) {
	list, err := Members(text)
	if err != nil {
		return nil
	}
	if inside != "" {
		i := slices.IndexFunc(list, func(m Member) bool { return m.Name == inside })
		if i < 0 {
			return nil
		}
		if list, err = Members(list[i].Value); err != nil {
			return nil
		}
	}
	fields := fieldsOf(known)
	for _, m := range list {
		if !slices.Contains(fields, m.Name) && m.Name != "$schema" {
			names = append(names, m.Name)
		}
	}
	return names
}

func fieldsOf(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func unknownField(name string, in reflect.Type) fault.Said {
	for _, field := range fieldsOf(in) {
		if strings.EqualFold(field, strings.ReplaceAll(name, "_", "")) {
			return fault.Say("The field {{name}} is ignored. Did you mean {{field}}?", quoted(name, 60), field)
		}
	}
	return fault.Say("The field {{name}} is ignored: Weft doesn't know it.", quoted(name, 60))
}

// escaped returns a name escaped for a JSON pointer.
func escaped(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
