package transcript

import "testing"

func TestDerivedNames(t *testing.T) {
	for _, one := range []struct {
		title, kind, name string
		from              nameFrom
	}{
		{"", "other", "", nameUnknown},
		{"Reading the plan", "other", "", nameUnknown},
		{"Read main.go", "read", "read", nameFromKind},
		{"ls -la", "execute", "execute", nameFromKind},
		{"`go test ./...`", "execute", "execute", nameFromKind},
		{"bash", "execute", "execute", nameFromKind}, // may be the command as well
		{"mcp__tracker__create_issue", "other", "mcp__tracker__create_issue", nameFromTitle},
		{"read_file", "read", "read_file", nameFromTitle},
		{"WebFetch", "fetch", "WebFetch", nameFromTitle},
		{"tracker/create_issue", "other", "create_issue", nameFromTitle},
		{"Tool: tracker/create_issue", "other", "create_issue", nameFromTitle},
		{"create_issue (tracker MCP Server)", "other", "create_issue", nameFromTitle},
		{`create_issue: {"title":"x"}`, "other", "create_issue", nameFromTitle},
		{"src/main.go", "edit", "edit", nameFromKind}, // a path is no tool
		{"src/main", "read", "read", nameFromKind},
		{"main_test.go:12", "read", "read", nameFromKind},
		{"Makefile", "read", "read", nameFromKind},
		{"weft/question", "other", "", nameUnknown}, // it would be drawn as one
		{"weft/permit", "read", "read", nameFromKind},
	} {
		if name, from := derivedName(one.title, one.kind); name != one.name || from != one.from {
			t.Errorf("%q of kind %s is of the tool %q (%d), want %q (%d)", one.title, one.kind, name, from, one.name, one.from)
		}
	}
}

// A call has the best name that is known of its tool, marked where Weft has derived it.
func TestToolNames(t *testing.T) {
	for _, one := range []struct {
		what    string
		reports []ToolPatch
		name    string
		derived bool
	}{
		{"told", []ToolPatch{{Name: new("Bash"), Title: new("ls"), Kind: new("execute")}}, "Bash", false},
		{"of its kind", []ToolPatch{{Title: new("ls -la"), Kind: new("execute")}}, "execute", true},
		{"known later by its kind", []ToolPatch{{}, {Kind: new("read")}}, "read", true},
		{"known later by its title", []ToolPatch{{Kind: new("read")}, {Title: new("read_file")}}, "read_file", true},
		{"retitled", []ToolPatch{{Title: new("read_file"), Kind: new("read")}, {Title: new("main.go")}}, "read_file", true},
		{"told later", []ToolPatch{{Title: new("read_file")}, {Name: new("Read")}, {Title: new("write_file")}}, "Read", false},
		{"one word", []ToolPatch{{Title: new("Something")}}, "", false},
		{"unknown words", []ToolPatch{{Title: new("Something else")}}, "", false},
	} {
		var box Outbox
		f := NewFold(&box, MessageStart{MessageID: "m", Role: RoleAgent})
		for i, p := range one.reports {
			p.ID, p.Announced = "c", i == 0
			f.Apply(&Update{Kind: UpdateTool, Tool: &p}, 1)
		}
		var conv Conversation
		for i, b := range box.Take().Bodies {
			if err := conv.Apply(&Event{Epoch: 1, Seq: int64(i + 1), At: 1, Body: b}); err != nil {
				t.Fatal(err)
			}
		}
		if c := conv.Messages[0].Segments[0].Items[0].Call; c.Name != one.name || c.NameDerived != one.derived {
			t.Errorf("%s: the tool is %q, derived %t; want %q, %t", one.what, c.Name, c.NameDerived, one.name, one.derived)
		}
	}
}
