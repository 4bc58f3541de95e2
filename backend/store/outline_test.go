package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/conversation/transcript"
)

// outlineOf returns the whole outline of a space.
func outlineOf(tb testing.TB, s *Store, space string) (list []string) {
	tb.Helper()
	for from := int64(0); ; {
		part, err := s.Pages.Outline(tb.Context(), space, from)
		if err != nil {
			tb.Fatal(err)
		}
		for i := range part.Entries {
			e := &part.Entries[i]
			list = append(list, fmt.Sprintf("%s %s.%d.%d %s", e.Kind, e.MessageID, e.Segment, e.Item, e.Text))
			if e.Count > 1 {
				list[len(list)-1] += fmt.Sprint(" ×", e.Count)
			}
		}
		if part.Next == 0 {
			return list
		}
		from = part.Next
	}
}

func prompt(id, text string) []transcript.Body {
	return []transcript.Body{&transcript.MessageStart{MessageID: id, Role: transcript.RoleUser}, words(id, 0, text), &transcript.MessageEnd{MessageID: id}}
}

func TestOutlineHasPlacesOfASpaceInOrder(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	call := func(item int, kind string, status transcript.Status, title, path, problem string) []transcript.Body {
		callID := fmt.Sprint(kind, item)
		begun := &transcript.ToolCallStart{At: at("m", 2, item), ToolCallID: callID, Title: title, Kind: kind, Status: transcript.StatusRunning}
		if path != "" {
			begun.Locations = []transcript.Location{{Path: path}}
		}
		list := []transcript.Body{begun}
		if status == transcript.StatusFailed {
			list = append(list, &transcript.ToolCallError{At: at("m", 2, item), ToolCallID: callID, Error: problem})
		}
		if status == transcript.StatusCompleted {
			list = append(list, &transcript.ToolCallEnd{At: at("m", 2, item), ToolCallID: callID, Status: status})
		}
		return list
	}
	add(t, s, id, prompt("u", "  \n\n Fix   the bug\nplease")...)
	add(t, s, id, start("m"), &transcript.TextDelta{MessageID: "m", Content: "Banner\nof it", Author: "notice"}, words("m", 1, "I will."))
	for _, bodies := range [][]transcript.Body{
		call(0, "read", transcript.StatusCompleted, "Read a", "/a", ""),
		call(1, "edit", transcript.StatusCompleted, "Edit a", "/a", ""),
		call(2, "edit", transcript.StatusFailed, "Edit b", "/b", "No such file.\nmore"),
		call(3, "edit", transcript.StatusCompleted, "Edit a", "/a", ""),
		call(4, "edit", transcript.StatusCompleted, "Edit c", "/c", ""),
		call(5, "display", transcript.StatusCompleted, "Results", "", ""),
		call(6, "edit", transcript.StatusRunning, "Edit d", "/d", ""),
	} {
		add(t, s, id, bodies...)
	}
	if err := s.Events.Flush(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if part, err := s.Pages.Outline(t.Context(), id, 0); err != nil || part.Open != 2 || part.Last != 2 {
		t.Fatalf("the open message is %d, the last one %d, %v", part.Open, part.Last, err)
	}
	add(t, s, id, &transcript.Error{MessageID: "m", Failure: transcript.Failure{Code: "x", Message: "It broke."}}, &transcript.MessageEnd{MessageID: "m"})
	add(t, s, id, prompt("v", "Again")...)
	want := []string{
		"prompt u.-1.-1 Fix the bug", "notice m.0.-1 Banner", "edit m.2.1 /a ×2", "failure m.2.2 Edit b: No such file.", "edit m.2.4 /c", "display m.2.5 Results",
		"failure m.-1.-1 It broke.", "prompt v.-1.-1 Again",
	}
	if got := outlineOf(t, s, id); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// BenchmarkOutline reads parts of the outline of a space with 20,000 prompts.
func BenchmarkOutline(b *testing.B) {
	s := open(b, b.TempDir())
	id := newSpace(b, s, "a")
	var bodies []transcript.Body
	for i := range 20_000 {
		m := fmt.Sprint("m", i)
		p := at(m, 1, 0)
		bodies = append(bodies, prompt(fmt.Sprint("u", i), "Please change the file so that it works again, number "+fmt.Sprint(i))...)
		bodies = append(bodies, start(m), words(m, 0, prose),
			&transcript.ToolCallStart{At: p, ToolCallID: m, Title: "Edit main.go", Kind: "edit", Status: transcript.StatusRunning, Locations: []transcript.Location{{Path: "/x/main.go"}}},
			&transcript.ToolCallEnd{At: p, ToolCallID: m, Status: transcript.StatusCompleted, Summary: "+1 −1 in main.go"}, words(m, 2, prose), &transcript.MessageEnd{MessageID: m})
		if len(bodies) > 1000 {
			add(b, s, id, bodies...)
			bodies = nil
		}
	}
	add(b, s, id, bodies...)
	var longest time.Duration
	parts, entries := 0, 0
	for b.Loop() {
		parts, entries = 0, 0
		for from := int64(0); ; {
			begin := time.Now()
			part, err := s.Pages.Outline(b.Context(), id, from)
			if err != nil {
				b.Fatal(err)
			}
			longest = max(longest, time.Since(begin))
			parts, entries = parts+1, entries+len(part.Entries)
			if part.Next == 0 {
				break
			}
			from = part.Next
		}
	}
	b.ReportMetric(float64(parts), "parts")
	b.ReportMetric(float64(entries), "entries")
	b.ReportMetric(float64(longest.Milliseconds()), "ms-longest-part")
}
