package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"weft/backend/base/clip"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/quantity"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
)

// The limits of Markdown and HTML files; the other formats contain everything.
const (
	maxCall    = 256 << 10 // bytes of a call's input and output
	maxText    = 4 << 20   // bytes of a text or a thought
	maxPicture = 10 << 20  // bytes of an image
	maxTable   = 1000      // rows
)

func itoa(n int) string { return strconv.Itoa(n) }

type blockKind int

const (
	blockCode  blockKind = iota + 1
	blockDiff            // lines
	blockImage           // data
	blockProse           // Markdown
	blockNote            // a line
	blockTable           // rows, the first has the names
)

// block is a piece of a call's input or output, or of the content of a message.
type block struct {
	kind  blockKind
	label string
	text  string
	lang  string // of code
	data  []byte
	mime  string
	rows  [][]string
	chart *chart         // the chart that the rows show
	form  jsontext.Value // the schema of the form that the rows show
	lines []diffLine
	left  int64 // bytes that are not shown
}

// diffLine is a line of a diff: ' ', '+', '-', or '@' at the beginning of a hunk.
type diffLine struct {
	op   byte
	text string
}

// shower builds the blocks of a call and limits their total size.
type shower struct {
	s    *source
	room int
	list []block
	err  error
	seen map[string]bool // terminals that were shown
}

func (s *source) shower() *shower { return &shower{s: s, room: maxCall, seen: map[string]bool{}} }

// blocksOf returns the blocks of a call.
func (s *source) blocksOf(c *transcript.ToolCall) ([]block, error) {
	b := s.shower()
	if c.Kind == transcript.KindDisplay {
		b.display(c)
	} else {
		b.call(c)
	}
	if b.err == nil && slices.ContainsFunc(b.list, func(x block) bool { return x.left > 0 }) {
		s.result.Cut++
	}
	return b.list, b.err
}

func (b *shower) call(c *transcript.ToolCall) {
	content := c.Content
	if c.ContentRef != nil {
		n, err := b.s.nested(c.ContentRef)
		if err != nil {
			b.err = err
			return
		}
		if n == nil {
			b.note("The result isn't shown.")
		} else {
			content = n.list
		}
	}
	asked, answered := b.question(c)
	if !asked && !slices.ContainsFunc(content, func(x transcript.Content) bool { return x.Type == "diff" }) {
		b.input(c) // which would repeat it
	}
	before := len(b.list)
	for i := range content {
		b.content(&content[i], c)
	}
	for i := range c.Terminals {
		b.terminal(&c.Terminals[i])
	}
	if c.OutputText != "" {
		b.code("Output", "", c.OutputText)
	}
	if c.Error != "" {
		b.code("Error", "", c.Error)
	}
	if len(b.list) == before && !answered {
		b.value("Result", c.Output, c.OutputRef)
	}
	b.permissions(c)
}

// question shows a form that the agent sent, with the user's answers.
func (b *shower) question(c *transcript.ToolCall) (asked, answered bool) {
	var in struct {
		Message string         `json:"message"`
		Schema  jsontext.Value `json:"requestedSchema"`
	}
	if json.Unmarshal(c.Input, &in, lenient) != nil {
		return false, false
	}
	form := block{kind: blockTable, form: in.Schema}
	if answered = c.Output.Kind() == '{'; answered {
		form.label = "Answer"
	}
	if form.rows = formOf(in.Schema, c.Output, answered); form.rows == nil {
		return false, false
	}
	if oneLine(in.Message) != titleOf(c) {
		b.code("", "", in.Message)
	}
	b.list = append(b.list, form)
	return true, answered
}

// input shows the input of a call: a command line as such, anything else as JSON.
func (b *shower) input(c *transcript.ToolCall) {
	if c.Kind == "execute" && c.Input != nil {
		var in struct {
			Command jsontext.Value `json:"command"`
			Cmd     jsontext.Value `json:"cmd"`
		}
		if json.Unmarshal(c.Input, &in, lenient) == nil {
			if command := commandOf(cmpValue(in.Command, in.Cmd)); command != "" {
				b.code("Command", "sh", command)
				return
			}
		}
	}
	if s := strings.TrimSpace(string(c.Input)); s == "{}" || s == "null" || s == `""` {
		return
	}
	if c.Input == nil && c.InputRef == nil && c.InputText != "" {
		b.code("Input", "json", c.InputText)
		return
	}
	b.value("Input", c.Input, c.InputRef)
}

func cmpValue(a, b jsontext.Value) jsontext.Value {
	if a != nil {
		return a
	}
	return b
}

// commandOf returns the command line in an input, which may be a list of words.
func commandOf(v jsontext.Value) (s string) {
	var words []string
	if v == nil {
		return ""
	}
	if json.Unmarshal(v, &s, lenient) == nil {
		return s
	}
	if json.Unmarshal(v, &words, lenient) == nil {
		return strings.Join(words, " ")
	}
	return ""
}

// value shows a JSON value, and a string as its text.
func (b *shower) value(label string, v jsontext.Value, ref *transcript.Ref) {
	if ref != nil {
		text, left := b.read(ref)
		if left > 0 {
			b.add(block{kind: blockCode, label: label, text: text, left: left})
			return
		}
		v = jsontext.Value(text)
	}
	if len(v) == 0 || b.err != nil {
		return
	}
	var s string
	if v.Kind() == '"' && json.Unmarshal(v, &s, lenient) == nil {
		b.code(label, "", s)
		return
	}
	if text, ok := onlyText(v); ok && label == "Result" {
		b.code(label, "", text)
		return
	}
	pretty := v.Clone()
	if pretty.Indent(jsontext.WithIndent("  "), lenient) == nil {
		v = pretty
	}
	b.code(label, "json", string(v))
}

// onlyText returns the text of a result object that contains nothing else to read.
func onlyText(v jsontext.Value) (string, bool) {
	var o map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &o, lenient) != nil || len(o) > 3 {
		return "", false
	}
	for _, name := range []string{"output", "text", "content", "result", "stdout"} {
		var s string
		if raw, ok := o[name]; ok && json.Unmarshal(raw, &s, lenient) == nil && s != "" {
			return s, true
		}
	}
	return "", false
}

// add adds a block, cut to the remaining size.
func (b *shower) add(x block) {
	if x.kind == blockCode && strings.Contains(x.text, "\x1b") { // the output of a terminal
		x.text = clip.Visible(x.text)
	}
	size := len(x.text)
	for _, l := range x.lines {
		size += len(l.text) + 1
	}
	switch {
	case size <= b.room:
		b.room -= size
	case x.kind == blockDiff:
		for i, l := range x.lines {
			if b.room -= len(l.text) + 1; b.room < 0 {
				for _, rest := range x.lines[i:] {
					x.left += int64(len(rest.text) + 1)
				}
				x.lines = x.lines[:i]
				break
			}
		}
		b.room = 0
	default:
		text := x.text[:max(b.room, 0)]
		for len(text) > 0 && !utf8.ValidString(text[max(0, len(text)-utf8.UTFMax):]) && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		text = strings.ToValidUTF8(text, "")
		x.left += int64(len(x.text) - len(text))
		x.text, b.room = text, 0
	}
	b.list = append(b.list, x)
}

func (b *shower) code(label, lang, text string) {
	if strings.TrimSpace(text) != "" {
		b.add(block{kind: blockCode, label: label, lang: lang, text: text})
	}
}

func (b *shower) note(text string) { b.list = append(b.list, block{kind: blockNote, text: text}) }

// read returns the beginning of a payload as text, up to the remaining size. left is the number of bytes not read.
func (b *shower) read(ref *transcript.Ref) (text string, left int64) {
	if b.err != nil {
		return "", 0
	}
	target := *ref
	stored, err := b.s.ref(&target)
	if err != nil {
		b.err = err
		return "", 0
	}
	r, err := b.s.open(target, stored)
	if err != nil {
		b.err = err
		return "", 0
	}
	if r == nil {
		b.note("The content is no longer stored.")
		return "", 0
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(max(b.room, 0))))
	if err != nil {
		b.err = err
		return "", 0
	}
	if int64(len(data)) < target.Size {
		left = target.Size - int64(len(data))
		data = trimEnd(data)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), left
}

func trimEnd(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax-1; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// textOf returns a text, which may be in a payload.
func (b *shower) textOf(s string, ref *transcript.Ref) (text string, left int64) {
	if ref == nil {
		return s, 0
	}
	return b.read(ref)
}

func (b *shower) content(c *transcript.Content, call *transcript.ToolCall) {
	if b.err != nil {
		return
	}
	switch c.Type {
	case "text":
		text, left := b.textOf(c.Text, c.Ref)
		if text = unfenced(text); strings.TrimSpace(text) != "" || left > 0 {
			b.add(block{kind: blockCode, text: text, left: left})
		}
	case "diff":
		b.diff(c)
	case "terminal":
		if call != nil {
			if t := call.Terminal(c.Terminal); t != nil {
				b.terminal(t)
			}
		}
	case "image", "audio":
		b.media(c)
	case "resource", "resource_link":
		name := cmp.Or(c.Name, c.Path, c.URI)
		text, left := b.textOf(c.Text, c.Ref)
		if text == "" && left == 0 {
			b.note("Attachment: " + name)
			return
		}
		b.add(block{kind: blockCode, label: name, text: text, left: left})
	default:
		b.value(cmp.Or(c.Name, c.Type, "Content"), c.Raw, c.Ref)
	}
}

// unfenced removes the code fence that some agents put around a tool's output.
func unfenced(s string) string {
	t := strings.TrimSpace(s)
	if !strings.HasPrefix(t, "```") || !strings.HasSuffix(t, "\n```") || strings.Count(t, "```") != 2 {
		return s
	}
	_, body, _ := strings.Cut(t, "\n")
	return strings.TrimSuffix(body, "```")
}

// media embeds an image. It only names audio and files that are too large.
func (b *shower) media(c *transcript.Content) {
	name := cmp.Or(oneLine(c.Name), oneLine(c.Path), c.Type)
	mime := cmp.Or(c.Mime, "application/octet-stream")
	if c.Ref == nil || c.Ref.Size > maxPicture || !pictures[mime] {
		size := ""
		if c.Ref != nil {
			size = " (" + quantity.Bytes(c.Ref.Size) + ")"
			b.s.result.Cut++
		}
		b.note("Not shown: " + name + size)
		return
	}
	target := *c.Ref
	stored, err := b.s.ref(&target)
	var r io.Reader
	if err == nil {
		r, err = b.s.open(target, stored)
	}
	if err != nil {
		b.err = err
		return
	}
	if r == nil {
		b.note("The image " + name + " is no longer stored.")
		return
	}
	data, err := io.ReadAll(r)
	if err != nil {
		b.err = err
		return
	}
	b.list = append(b.list, block{kind: blockImage, label: name, data: data, mime: mime})
}

// pictures are the image types that browsers display and that can't contain scripts.
var pictures = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true, "image/bmp": true}

func (b *shower) terminal(t *transcript.Terminal) {
	if b.seen[t.ID] {
		return
	}
	b.seen[t.ID] = true
	text := t.Text
	left := t.TextStart
	if t.Ref != nil {
		text, left = b.read(t.Ref)
		left += t.Size - t.Ref.Size
	}
	label := "$ " + oneLine(t.Command)
	switch {
	case t.Code != nil && *t.Code != 0:
		label += fmt.Sprintf(" (exit code %d)", *t.Code)
	case t.Signal != "":
		label += " (" + oneLine(t.Signal) + ")"
	}
	b.add(block{kind: blockCode, label: label, text: clip.Visible(text), left: left})
}

// maxDiff is the maximum total size of the two texts of a diff in bytes, so that comparing them is fast.
const maxDiff = 1 << 20

func (b *shower) diff(c *transcript.Content) {
	path := oneLine(c.Path)
	size := int64(len(c.OldText) + len(c.NewText))
	for _, r := range []*transcript.Ref{c.OldRef, c.NewRef} {
		if r != nil {
			size += r.Size
		}
	}
	if size > maxDiff {
		b.note(fmt.Sprintf("The diff of %s (+%d −%d) is too large to be shown.", path, c.Added, c.Removed))
		b.s.result.Cut++
		return
	}
	room := b.room
	b.room = maxDiff
	before, _ := b.textOf(c.OldText, c.OldRef)
	after, _ := b.textOf(c.NewText, c.NewRef)
	b.room = room
	if b.err != nil {
		return
	}
	lines := compare(before, after, max(c.Line, 1))
	if len(lines) == 0 {
		b.note("No changes in " + path + ".")
		return
	}
	b.add(block{kind: blockDiff, label: path, lines: lines})
}

// compare returns the diff of two texts whose first line has the number line.
func compare(before, after string, line int) (list []diffLine) {
	u, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), 3)
	if err != nil {
		return nil
	}
	for _, h := range u.Hunks {
		list = append(list, diffLine{'@', fmt.Sprintf("@@ -%d +%d @@", h.FromLine+line-1, h.ToLine+line-1)})
		for _, l := range h.Lines {
			op := byte(' ')
			switch l.Kind {
			case udiff.Insert:
				op = '+'
			case udiff.Delete:
				op = '-'
			case udiff.Equal:
			}
			list = append(list, diffLine{op, strings.TrimRight(l.Content, "\r\n")})
		}
	}
	return list
}

// permissions shows the outcomes of a call's permission requests.
func (b *shower) permissions(c *transcript.ToolCall) {
	for i := range c.Permissions {
		if text := permission(&c.Permissions[i]); text != "" {
			b.note(text)
		}
	}
}

func permission(p *transcript.Permission) string {
	name, kind := p.OptionID, ""
	for _, o := range p.Options {
		if o.ID == p.OptionID {
			name, kind = cmp.Or(o.Name, o.ID), o.Kind
		}
	}
	by := ""
	if p.By != nil {
		by = map[string]string{
			"rule": " by a rule", "mode": " by the space's mode", "agent_mode": " by the agent's mode", "answered": " by an earlier answer",
		}[p.By.Who]
	}
	switch p.Outcome {
	case "":
		return "Permission: needs an answer"
	case "selected":
		if strings.HasPrefix(kind, "reject") {
			return "Permission: rejected" + by + " (" + oneLine(name) + ")"
		}
		return "Permission: allowed" + by + " (" + oneLine(name) + ")"
	case transcript.OutcomeUnasked:
		return "Permission: the agent didn't ask"
	}
	return "Permission: no answer"
}

// display shows a component: its title, its content and the user's answer.
func (b *shower) display(c *transcript.ToolCall) {
	input := c.Input
	if c.InputRef != nil {
		room := b.room
		b.room = maxText // the numbers of a chart take less of it than they do as text
		text, left := b.read(c.InputRef)
		b.room = room
		if left > 0 {
			b.add(block{kind: blockCode, text: text, left: left})
			b.answer(c)
			return
		}
		input = jsontext.Value(text)
	}
	var fields map[string]jsontext.Value
	if json.Unmarshal(input, &fields, lenient) != nil {
		b.value("", input, nil)
	} else {
		b.fields(fields)
	}
	b.answer(c)
}

func stringOf(v jsontext.Value) (s string) {
	if v.Kind() == '"' {
		_ = json.Unmarshal(v, &s, lenient) // a string
		return s
	}
	return string(v)
}

// fields shows the input of a display tool: text as prose, rows as a table, anything else by its name.
func (b *shower) fields(fields map[string]jsontext.Value) {
	take := func(name string) (jsontext.Value, bool) {
		v, ok := fields[name]
		delete(fields, name)
		return v, ok
	}
	_, _ = take("targetSpaceId")
	for _, name := range []string{"title", "question"} {
		if v, ok := take(name); ok {
			b.add(block{kind: blockNote, text: oneLine(stringOf(v)), label: name})
		}
	}
	for _, name := range []string{"description", "markdown", "text", "content"} {
		if v, ok := fields[name]; ok && v.Kind() == '"' {
			delete(fields, name)
			b.add(block{kind: blockProse, text: stringOf(v)})
		}
	}
	if columns, ok := fields["columns"]; ok {
		if rows := tableOf(columns, fields["rows"]); rows != nil {
			delete(fields, "columns")
			delete(fields, "rows")
			b.table(rows)
		}
	}
	if c := chartOf(fields); c != nil {
		for _, name := range []string{"series", "labels", "type", "x", "y"} {
			delete(fields, name)
		}
		b.list = append(b.list, c.table())
	}
	if rows := formOf(fields["schema"], fields["values"], false); rows != nil {
		b.list = append(b.list, block{kind: blockTable, rows: rows, form: fields["schema"]})
		for _, name := range []string{"schema", "values", "submitLabel"} {
			delete(fields, name)
		}
	}
	for _, name := range []string{"details", "options", "items", "steps"} {
		if v, ok := fields[name]; ok {
			if rows := listOf(v); rows != nil {
				delete(fields, name)
				b.table(rows)
			}
		}
	}
	for _, name := range sortedNames(fields) {
		if name == "src" && strings.HasPrefix(stringOf(fields[name]), "data:") {
			continue
		}
		b.value(name, fields[name], nil)
	}
}

func (b *shower) table(rows [][]string) {
	left := int64(0)
	if len(rows) > maxTable+1 {
		for _, r := range rows[maxTable+1:] {
			for _, cell := range r {
				left += int64(len(cell))
			}
		}
		rows = rows[:maxTable+1]
	}
	b.list = append(b.list, block{kind: blockTable, rows: rows, left: left})
}

func sortedNames(fields map[string]jsontext.Value) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// tableOf reads the columns and rows of a table.
func tableOf(columns, rows jsontext.Value) (table [][]string) {
	var cols []struct{ Key, Label string }
	var list []map[string]jsontext.Value
	match := json.MatchCaseInsensitiveNames(true)
	if json.Unmarshal(columns, &cols, lenient, match) != nil || json.Unmarshal(rows, &list, lenient) != nil || len(cols) == 0 {
		return nil
	}
	head := make([]string, len(cols))
	for i, c := range cols {
		head[i] = cmp.Or(c.Label, c.Key)
	}
	table = append(table, head)
	for _, row := range list {
		cells := make([]string, len(cols))
		for i, c := range cols {
			if v, ok := row[c.Key]; ok && v.Kind() != 'n' {
				cells[i] = stringOf(v)
			}
		}
		table = append(table, cells)
	}
	return table
}

// listOf reads a list of objects with labels as a table with two columns.
func listOf(v jsontext.Value) (rows [][]string) {
	var list []map[string]jsontext.Value
	if json.Unmarshal(v, &list, lenient) != nil || len(list) == 0 {
		return nil
	}
	rows = append(rows, []string{"Name", "Value"})
	for _, o := range list {
		name, value := "", ""
		for _, n := range []string{"label", "title", "name", "id"} {
			if x, ok := o[n]; ok && name == "" {
				name = stringOf(x)
			}
		}
		for _, n := range []string{"value", "description", "state", "status", "id"} {
			if x, ok := o[n]; ok && value == "" && x.Kind() != 'n' {
				value = stringOf(x)
			}
		}
		rows = append(rows, []string{name, value})
	}
	return rows
}

func (b *shower) answer(c *transcript.ToolCall) {
	raw := c.Output
	if c.OutputRef != nil {
		text, left := b.read(c.OutputRef)
		if left > 0 {
			b.add(block{kind: blockCode, label: "Answer", text: text, left: left})
			return
		}
		raw = jsontext.Value(text)
	}
	if c.Error != "" {
		b.code("Error", "", c.Error)
	}
	var out displays.Output
	if len(raw) == 0 || json.Unmarshal(raw, &out, lenient) != nil {
		return
	}
	form := slices.IndexFunc(b.list, func(x block) bool { return x.form != nil })
	switch {
	case form >= 0 && out.Answer.Kind() == '{':
		b.list[form].label, b.list[form].rows = "Answer", formOf(b.list[form].form, out.Answer, true)
	case len(out.Answer) > 0:
		b.value("Answer", out.Answer, nil)
	case out.State == "cancelled":
		b.note("Not answered")
	}
	if len(out.Result) > 0 {
		b.value("Result", out.Result, nil)
	}
}

// titleOf returns the title of a call.
func titleOf(c *transcript.ToolCall) string {
	if c.Kind == transcript.KindDisplay {
		var in struct {
			Title    string `json:"title"`
			Question string `json:"question"`
		}
		if json.Unmarshal(c.Input, &in, lenient) == nil {
			if t := cmp.Or(in.Title, in.Question); t != "" {
				return oneLine(t)
			}
		}
	}
	return cmp.Or(oneLine(c.Title), oneLine(c.Name), oneLine(c.Kind), "Tool call")
}

// statusWord returns the status of a call in a word, or "" for completed.
func statusWord(s transcript.Status) string {
	switch s {
	case transcript.StatusFailed:
		return "failed"
	case transcript.StatusCancelled:
		return "canceled"
	case transcript.StatusRejected:
		return "rejected"
	case transcript.StatusPending, transcript.StatusRunning:
		return "not finished"
	case transcript.StatusWaiting:
		return "needs an answer"
	case transcript.StatusCompleted:
	}
	return ""
}

func mark(s transcript.Status) string {
	switch s {
	case transcript.StatusCompleted:
		return "✓"
	case transcript.StatusFailed:
		return "✗"
	case transcript.StatusCancelled, transcript.StatusRejected:
		return "⊘"
	case transcript.StatusWaiting:
		return "?"
	case transcript.StatusPending, transcript.StatusRunning:
	}
	return "…"
}

// duration formats a duration, "" for less than a tenth of a second.
func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case ms < 100:
		return ""
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// groupLabel summarizes the calls of a group except displays, as the window does: "3 tool calls · read 2 files, ran 1
// command · 1 failed".
func groupLabel(kinds, statuses map[string]int) string {
	calls := -kinds[transcript.KindDisplay]
	for _, n := range statuses {
		calls += n
	}
	if calls == 0 {
		return "Thoughts"
	}
	var did []string
	for _, k := range []struct{ kind, verb, one, many string }{
		{"read", "read", "file", "files"},
		{"edit", "edited", "file", "files"},
		{"delete", "deleted", "file", "files"},
		{"move", "moved", "file", "files"},
		{"search", "searched", "time", "times"},
		{"fetch", "fetched", "page", "pages"},
		{"execute", "ran", "command", "commands"},
	} {
		if n := kinds[k.kind]; n > 0 {
			did = append(did, k.verb+" "+quantity.Count(n, k.one, k.many))
		}
	}
	parts := []string{quantity.Count(calls, "tool call", "tool calls")}
	if len(did) > 0 {
		parts = append(parts, strings.Join(did, ", "))
	}
	for _, s := range []transcript.Status{transcript.StatusFailed, transcript.StatusRejected, transcript.StatusCancelled} {
		if n := statuses[string(s)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, statusWord(s)))
		}
	}
	return strings.Join(parts, " · ")
}

// leftOut describes how much is missing from the file.
func leftOut(n int64) string { return quantity.Bytes(n) + " more, not in this file" }

// cutText returns at most maxText bytes of a text, and the number of bytes left out.
func (s *source) cutText(text string) (string, int64) {
	if len(text) <= maxText {
		return text, 0
	}
	s.result.Cut++
	head := trimEnd([]byte(text[:maxText]))
	return string(head), int64(len(text) - len(head))
}

// noteOf returns the summary of a call, unless its title already contains it, as in "Read". A command's summary is
// always shown.
func noteOf(c *transcript.ToolCall) string {
	note := oneLine(c.Summary)
	if c.Kind != "execute" && strings.HasPrefix(strings.ToLower(titleOf(c))+" ", strings.ToLower(note)+" ") {
		return ""
	}
	return note
}
