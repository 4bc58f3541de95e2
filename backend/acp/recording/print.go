package recording

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/files/regular"
)

// PrintFolded implements "weft fold": it prints the conversation in the recording at path, or in stdin if path is "-".
// It returns the exit code.
func PrintFolded(path string, asJSON bool, stdin io.Reader, stdout, stderr io.Writer) int {
	in := stdin
	if path != "-" {
		file, _, err := regular.OpenPath(path)
		if err != nil {
			fmt.Fprintf(stderr, "weft fold: %v\n", notOpened(path, err))
			return 1
		}
		defer file.Close()
		in = file
	}
	folded, err := Fold(in)
	if err != nil {
		fmt.Fprintf(stderr, "weft fold: %s: %v\n", path, err)
		return 1
	}
	for _, bad := range folded.Skipped {
		fmt.Fprintf(stderr, "weft fold: %s: skipped %v\n", path, bad)
	}
	if asJSON {
		err = folded.writeJSON(stdout)
	} else {
		_, err = io.WriteString(stdout, folded.Text())
	}
	if err != nil {
		fmt.Fprintf(stderr, "weft fold: %v\n", err)
		return 1
	}
	return 0
}

// notOpened returns a readable error for a file that can't be opened.
func notOpened(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no file %s", path)
	}
	if errors.Is(err, regular.ErrNotRegular) {
		return fmt.Errorf("%s isn't a regular file", path)
	}
	return err
}

// The JSON output of weft fold.
type (
	foldedJSON struct {
		Messages []messageJSON  `json:"messages"`
		Plan     jsontext.Value `json:"plan"`
		Usage    jsontext.Value `json:"usage"`
		Opaque   []opaqueJSON   `json:"opaque"`
	}
	messageJSON struct {
		Role       transcript.Role     `json:"role"`
		Content    string              `json:"content"`
		Thinking   string              `json:"thinking"`
		StopReason string              `json:"stopReason"`
		Error      *transcript.Failure `json:"error,omitzero"`
		Segments   []segmentJSON       `json:"segments"`
	}
	segmentJSON struct {
		Type             transcript.SegmentType `json:"type"`
		Text             *string                `json:"text,omitzero"`
		Author           string                 `json:"author,omitzero"`
		ParentToolCallID string                 `json:"parentToolCallId,omitzero"`
		Items            []any                  `json:"items,omitzero"`
		Display          jsontext.Value         `json:"display,omitzero"`
	}
	thoughtJSON struct {
		Type             transcript.ItemType `json:"type"`
		Text             string              `json:"text"`
		ParentToolCallID string              `json:"parentToolCallId,omitzero"`
	}
	callJSON struct {
		Type             transcript.ItemType     `json:"type"`
		ToolCallID       string                  `json:"toolCallId"`
		ToolName         string                  `json:"toolName,omitzero"`
		Title            string                  `json:"title"`
		Kind             string                  `json:"kind"`
		Status           transcript.Status       `json:"status"`
		DurationMs       *int64                  `json:"durationMs"`
		Summary          string                  `json:"summary"`
		ResultCount      *int                    `json:"resultCount"`
		Error            string                  `json:"error"`
		ParentToolCallID string                  `json:"parentToolCallId"`
		Content          []jsontext.Value        `json:"content"`
		Locations        jsontext.Value          `json:"locations"`
		RawInput         jsontext.Value          `json:"rawInput"`
		RawOutput        jsontext.Value          `json:"rawOutput"`
		OutputText       string                  `json:"outputText,omitzero"`
		Permissions      []transcript.Permission `json:"permissions,omitzero"`
	}
	opaqueJSON struct {
		Kind   string         `json:"kind"`
		Update jsontext.Value `json:"update"`
	}
)

func (f *Folded) writeJSON(w io.Writer) error {
	out := foldedJSON{Messages: []messageJSON{}, Plan: jsontext.Value("[]"), Usage: f.usage(), Opaque: []opaqueJSON{}}
	if v := f.state(transcript.StatePlan); v != nil {
		out.Plan = v
	}
	for _, m := range f.Messages {
		j := messageJSON{Role: m.Role, Content: m.Content(), Thinking: m.Thinking(), StopReason: m.StopReason, Error: m.Error, Segments: []segmentJSON{}}
		for _, s := range m.Segments {
			segment, err := f.segment(s)
			if err != nil {
				return err
			}
			j.Segments = append(j.Segments, segment)
		}
		for _, o := range m.Opaque {
			out.Opaque = append(out.Opaque, opaqueJSON{o.Kind, f.value(o.Raw, o.Ref)})
		}
		out.Messages = append(out.Messages, j)
	}
	if err := json.MarshalWrite(w, out, lenient, jsontext.Multiline(true)); err != nil {
		return fmt.Errorf("encode the conversation: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (f *Folded) state(key transcript.StateKey) jsontext.Value {
	s := f.State[key]
	return f.value(s.Value, s.Ref)
}

// usage merges the usage of the prompts' answers with that of usage_update, which wins.
func (f *Folded) usage() jsontext.Value {
	all := map[string]jsontext.Value{}
	add := func(v jsontext.Value) {
		var fields map[string]jsontext.Value
		if v != nil && json.Unmarshal(v, &fields, lenient) == nil {
			for k, v := range fields {
				all[k] = v
			}
		}
	}
	for _, m := range f.Messages {
		add(m.Usage)
	}
	add(f.state(transcript.StateUsage))
	raw, err := json.Marshal(all, json.Deterministic(true), lenient)
	if err != nil {
		return jsontext.Value("{}")
	}
	return raw
}

func (f *Folded) value(inline jsontext.Value, ref *transcript.Ref) jsontext.Value {
	if ref != nil {
		return f.Blobs[ref.Hash]
	}
	return inline
}

func (f *Folded) text(inline string, ref *transcript.Ref) string {
	if ref != nil {
		return string(f.Blobs[ref.Hash])
	}
	return inline
}

func (f *Folded) segment(s *transcript.Segment) (segmentJSON, error) {
	j := segmentJSON{Type: s.Type, Author: s.Author, ParentToolCallID: s.ParentToolCallID}
	switch s.Type {
	case transcript.SegmentText:
		j.Text = &s.Text
	case transcript.SegmentDisplay:
		raw, err := f.block(s.Display)
		if err != nil {
			return j, err
		}
		j.Display = raw
	case transcript.SegmentToolGroup:
		j.Items = []any{}
		for _, it := range s.Items {
			if it.Type == transcript.ItemThought {
				j.Items = append(j.Items, thoughtJSON{it.Type, it.Text, it.ParentToolCallID})
				continue
			}
			c, err := f.call(it.Call)
			if err != nil {
				return j, err
			}
			j.Items = append(j.Items, c)
		}
	}
	return j, nil
}

func (f *Folded) call(c *transcript.ToolCall) (callJSON, error) {
	j := callJSON{
		Type: transcript.ItemToolCall, ToolCallID: c.ID, ToolName: c.Name, Title: f.text(c.Title, c.TitleRef), Kind: c.Kind, Status: c.Status,
		DurationMs: c.DurationMs, Summary: c.Summary, ResultCount: c.ResultCount, Error: c.Error, ParentToolCallID: c.ParentID,
		RawInput: f.value(c.Input, c.InputRef), RawOutput: f.value(c.Output, c.OutputRef), OutputText: c.OutputText,
		Content: []jsontext.Value{}, Permissions: c.Permissions,
	}
	var err error
	if j.Locations = f.value(nil, c.LocationsRef); j.Locations == nil {
		if j.Locations, err = json.Marshal(c.Locations, lenient); err != nil {
			return j, fmt.Errorf("encode locations: %w", err)
		}
	}
	list := c.Content
	if c.ContentRef != nil {
		if err := json.Unmarshal(f.Blobs[c.ContentRef.Hash], &list, lenient); err != nil {
			return j, fmt.Errorf("decode content: %w", err)
		}
	}
	for i := range list {
		raw, err := f.piece(&list[i])
		if err != nil {
			return j, err
		}
		j.Content = append(j.Content, raw)
	}
	return j, nil
}

// piece returns a piece of a tool call's content in the protocol's format.
func (f *Folded) piece(c *transcript.Content) (jsontext.Value, error) {
	switch c.Type {
	case "diff":
		var old *string
		if !c.NewFile {
			text := f.text(c.OldText, c.OldRef)
			old = &text
		}
		return encodeJSON(struct {
			Type    string  `json:"type"`
			Path    string  `json:"path"`
			OldText *string `json:"oldText"`
			NewText string  `json:"newText"`
		}{"diff", c.Path, old, f.text(c.NewText, c.NewRef)})
	case "terminal":
		return encodeJSON(map[string]string{"type": "terminal", "terminalId": c.Terminal})
	case "unknown":
		return f.value(c.Raw, c.Ref), nil
	}
	block, err := f.block(c)
	if err != nil {
		return nil, err
	}
	return encodeJSON(map[string]any{"type": "content", "content": block})
}

// block returns a content block in the protocol's format.
func (f *Folded) block(c *transcript.Content) (jsontext.Value, error) {
	text := f.text(c.Text, c.Ref)
	switch c.Type {
	case "text":
		return encodeJSON(map[string]string{"type": "text", "text": text})
	case "image", "audio":
		if c.Ref != nil {
			text = base64.StdEncoding.EncodeToString(f.Blobs[c.Ref.Hash])
		}
		return encodeJSON(map[string]string{"type": c.Type, "data": text, "mimeType": c.Mime})
	case "resource_link":
		return encodeJSON(map[string]string{"type": c.Type, "uri": c.URI, "name": c.Name, "mimeType": c.Mime})
	case "resource":
		return encodeJSON(map[string]any{"type": c.Type, "resource": map[string]string{"uri": c.URI, "mimeType": c.Mime, "text": text}})
	}
	return f.value(c.Raw, c.Ref), nil
}

func encodeJSON(v any) (jsontext.Value, error) {
	raw, err := json.Marshal(v, lenient, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode content: %w", err)
	}
	return raw, nil
}

// Text returns the conversation as readable text.
func (f *Folded) Text() string {
	var b strings.Builder
	for i, m := range f.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "── %s", m.Role)
		if m.StopReason != "" && m.StopReason != "end_turn" {
			fmt.Fprintf(&b, " (%s)", m.StopReason)
		}
		b.WriteString("\n")
		for _, s := range m.Segments {
			f.printSegment(&b, s)
		}
		for _, o := range m.Opaque {
			fmt.Fprintf(&b, "? %s, kept as sent\n", o.Kind)
		}
		if m.Error != nil {
			fmt.Fprintf(&b, "! %s\n", m.Error.Message)
		}
	}
	return b.String()
}

func (f *Folded) printSegment(b *strings.Builder, s *transcript.Segment) {
	switch s.Type {
	case transcript.SegmentText:
		b.WriteString(s.Text)
		if !strings.HasSuffix(s.Text, "\n") {
			b.WriteByte('\n')
		}
	case transcript.SegmentDisplay:
		fmt.Fprintf(b, "[%s %s]\n", s.Display.Type, s.Display.URI)
	case transcript.SegmentToolGroup:
		for _, it := range s.Items {
			if it.Type == transcript.ItemThought {
				fmt.Fprintf(b, "  ~ %s\n", strings.ReplaceAll(strings.TrimSpace(it.Text), "\n", "\n    "))
				continue
			}
			printCall(b, it.Call)
		}
	}
}

var marks = map[transcript.Status]string{
	transcript.StatusPending: "○", transcript.StatusRunning: "◐", transcript.StatusWaiting: "?", transcript.StatusCompleted: "●",
	transcript.StatusFailed: "✗", transcript.StatusCancelled: "–", transcript.StatusRejected: "⊘",
}

func printCall(b *strings.Builder, c *transcript.ToolCall) {
	indent := "  "
	if c.ParentID != "" {
		indent = "    "
	}
	title := strings.ReplaceAll(c.Title, "\n", "⏎")
	fmt.Fprintf(b, "%s%s %s %s [%s]", indent, marks[c.Status], c.Kind, title, c.Status)
	if c.Summary != "" {
		fmt.Fprintf(b, " — %s", c.Summary)
	}
	if c.Error != "" {
		fmt.Fprintf(b, " — %s", c.Error)
	}
	if c.DurationMs != nil {
		fmt.Fprintf(b, " (%d ms)", *c.DurationMs)
	}
	b.WriteByte('\n')
}
