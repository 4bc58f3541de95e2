package contract

import (
	"fmt"
	"strings"

	"weft/backend/base/fault"
)

// sections are the generated parts of docs/api.md, by the names of their marks.
func (c *Contract) sections() map[string]string {
	return map[string]string{"commands": c.commandTables(), "events": c.eventTable(), "app-events": c.appEventTable(), "codes": codeTable()}
}

func (c *Contract) commandTables() string {
	var w writer
	for _, g := range c.groups {
		w.line("#### " + g.title)
		w.line("")
		w.line("| Command | Takes | Returns | What it does |")
		w.line("| --- | --- | --- | --- |")
		for _, cmd := range g.commands {
			takes := "–"
			if cmd.request.ref != nil {
				takes = fieldNames(cmd.request.ref.all(), true)
			}
			w.line(fmt.Sprintf("| `%s` | %s | %s | %s |", cmd.name, takes, described(cmd.answer), cell(withoutName(cmd.doc, cmd.name))))
		}
		w.line("")
	}
	return w.b.String()
}

func (c *Contract) eventTable() string {
	var w writer
	w.line("| Event | Fields | Meaning |")
	w.line("| --- | --- | --- |")
	for _, e := range c.events {
		types := make([]string, len(c.eventTypes[e.body]))
		for i, t := range c.eventTypes[e.body] {
			types[i] = code(t)
		}
		w.line(fmt.Sprintf("| %s | %s | %s |", strings.Join(types, ", "), fieldNames(c.model.shapes[e.body].all(), false), cell(meaning(c.model.shapes[e.body]))))
	}
	return w.b.String()
}

func (c *Contract) appEventTable() string {
	var w writer
	w.line("| Event | Fields | Meaning |")
	w.line("| --- | --- | --- |")
	for _, e := range c.appEvents {
		w.line(fmt.Sprintf("| `%s` | %s | %s |", e.name, fieldNames(c.model.shapes[e.body].all(), false), cell(meaning(c.model.shapes[e.body]))))
	}
	return w.b.String()
}

// meaning is the comment of a type without its name in front: "Opens a message."
func meaning(s *shape) string { return withoutName(s.doc, s.goType.Name()) }

// withoutName is a comment without the name in front that it is about.
func withoutName(doc, name string) string {
	rest, ok := strings.CutPrefix(doc, name+" ")
	if !ok || rest == "" {
		return doc
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}

func codeTable() string {
	var w writer
	w.line("| Code | Status | Meaning |")
	w.line("| --- | --- | --- |")
	for _, i := range fault.Codes() {
		w.line(fmt.Sprintf("| `%s` | %d | %s |", i.Code, i.Status, cell(i.Doc)))
	}
	return w.b.String()
}

// described is a type in a table.
func described(e expr) string {
	var t string
	switch e.kind {
	case "ref":
		t = code(e.ref.name)
	case "list":
		t = "list of " + described(*e.elem)
	case "map":
		t = "map to " + described(*e.elem)
	case "object":
		t = fieldNames(e.inner, false)
	case "enum":
		list := make([]string, len(e.enum))
		for i, v := range e.enum {
			list[i] = code(v)
			if v == "" {
				list[i] = "empty"
			}
		}
		t = strings.Join(list, ", ")
	case "none":
		t = "–"
	case "json":
		t = "JSON"
	case "said":
		t = "list of the template and its values"
	default:
		t = e.kind
	}
	if e.null {
		t += " or null"
	}
	return t
}

func fieldNames(fields []field, values bool) string {
	if len(fields) == 0 {
		return "–"
	}
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = code(optionalName(f))
		if values && f.of.kind == "enum" {
			list[i] += " (" + described(expr{kind: "enum", enum: f.of.enum}) + ")"
		}
	}
	return strings.Join(list, ", ")
}

func optionalName(f field) string {
	if f.optional {
		return f.name + "?"
	}
	return f.name
}

func code(s string) string { return "`" + s + "`" }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// withSections returns a document with the generated parts between their marks replaced.
func withSections(doc string, sections map[string]string) (string, error) {
	for name, text := range sections {
		open, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
		before, rest, ok := strings.Cut(doc, open)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			return "", fmt.Errorf("docs/api.md has no part %q between its marks", name)
		}
		doc = before + open + text + end + after
	}
	return doc, nil
}
