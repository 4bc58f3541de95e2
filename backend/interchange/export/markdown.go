package export

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"

	"weft/backend/base/quantity"
	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

// writeMarkdown writes a file that reads well on GitHub: a heading per message, tool calls folded.
func writeMarkdown(s *source, w *bufio.Writer) error {
	m := &markdown{s: s, w: w}
	for i := range s.e.parts {
		if err := m.part(i); err != nil {
			return err
		}
	}
	return nil
}

type markdown struct {
	s       *source
	w       *bufio.Writer
	skip    bool // the message is in another space of the file
	authors names
}

// names are the members of a space, for messages without an author's name.
type names map[string]string

func namesOf(p *part) names {
	n := names{}
	for _, m := range p.space.Members {
		n[m.ID] = m.Name
	}
	return n
}

func (n names) of(m *transcript.Message) string {
	if m.Role == transcript.RoleUser {
		return "You"
	}
	// As in the window: imported messages have authors who aren't members of the space.
	return cmp.Or(oneLine(m.Author.Name), oneLine(n[cmp.Or(m.Author.MemberID, transcript.MainMember)]), "Agent")
}

func (m *markdown) put(parts ...string) {
	for _, p := range parts {
		_, _ = m.w.WriteString(p) // the writer keeps its error
	}
}

func (m *markdown) part(i int) error {
	p := &m.s.e.parts[i]
	m.authors = namesOf(p)
	if i > 0 {
		m.put("\n---\n\n")
	}
	m.put("# ", plain(cmp.Or(oneLine(p.space.Title), "Conversation")), "\n\n")
	for _, line := range m.s.about(i) {
		m.put("> ", plain(line), "  \n")
	}
	m.put("\n")
	for piece, err := range m.s.pieces(p) {
		if err != nil {
			return err
		}
		if err := m.piece(p, &piece); err != nil {
			return err
		}
	}
	return nil
}

// about returns facts about a part, one per line.
func (s *source) about(i int) (lines []string) {
	p := &s.e.parts[i]
	agents := make([]string, 0, len(p.space.Members))
	for _, m := range p.space.Members {
		agents = append(agents, oneLine(m.Name))
	}
	messages, last := int64(0), int64(0)
	for _, sp := range p.spans {
		messages += max(sp.Messages, 0)
		last = sp.Last
	}
	who := strings.Join(agents, ", ")
	if p.space.Folder != "" {
		who += " in " + oneLine(p.space.Folder)
	}
	lines = append(lines, who)
	what := quantity.Count(int(messages-min(p.known, messages)), "message", "messages")
	if !s.e.Whole {
		what += " of the conversation"
	}
	lines = append(lines, fmt.Sprintf("%s, started %s", what, stamp(p.space.CreatedAt)))
	if p.known > 0 && last > 0 {
		for j := range s.e.parts {
			if o := &s.e.parts[j]; o.space.ID == p.space.Parent {
				lines = append(lines, fmt.Sprintf("Branched from “%s” after %s", cmp.Or(oneLine(o.space.Title), "Conversation"), quantity.Count(int(p.known), "message", "messages")))
			}
		}
	}
	if i == 0 && s.result.SecretsHidden > 0 {
		lines = append(lines, quantity.Count(int(s.result.SecretsHidden), "known secret was", "known secrets were")+" replaced by [secret]")
	}
	return append(lines, "Exported from Weft")
}

func (m *markdown) piece(p *part, x *pages.Piece) error {
	if m.skip = x.Ord <= p.known; m.skip {
		return nil
	}
	switch x.Kind {
	case pages.PieceMessage:
		m.put("## ", plain(m.authors.of(x.Message)), "\n\n<sub>", stamp(x.Message.CreatedAt))
		if x.Message.Model != "" {
			m.put(" · ", plain(x.Message.Model))
		}
		m.put("</sub>\n\n")
	case pages.PieceSegment:
		return m.segment(x)
	case pages.PieceItem:
		return m.item(x.Item)
	case pages.PieceOpaque:
	case pages.PieceEnd:
		m.end(x.Message)
	}
	return nil
}

func (m *markdown) segment(x *pages.Piece) error {
	seg := x.Segment
	switch seg.Type {
	case transcript.SegmentText:
		text, left := m.s.cutText(seg.Text)
		switch {
		case x.Message.Role == transcript.RoleUser:
			m.put(containedQuote(hardBreaks(text)), "\n\n")
		case seg.Author != "":
			m.put(containedQuote(text), "\n\n")
		default:
			m.put(strings.TrimRight(contained(text), "\n"), "\n\n")
		}
		if left > 0 {
			m.put("<sub>", leftOut(left), "</sub>\n\n")
		}
	case transcript.SegmentDisplay:
		b := m.s.shower()
		b.content(seg.Display, nil)
		if b.err != nil {
			return b.err
		}
		m.blocks(b.list)
	case transcript.SegmentToolGroup:
	}
	return nil
}

// hardBreaks preserves the line breaks of a prompt, except in code.
func hardBreaks(text string) string {
	if len(text) > maxProse || costly([]byte(text)) {
		return text
	}
	src := []byte(strings.ReplaceAll(text, "\r\n", "\n"))
	code := codeRanges(src)
	var b strings.Builder
	at := 0
	for line := range strings.Lines(string(src)) {
		for len(code) > 0 && code[0][1] <= at {
			code = code[1:]
		}
		in := len(code) > 0 && code[0][0] < at+len(line)
		at += len(line)
		body, ended := strings.CutSuffix(line, "\n")
		b.WriteString(body)
		if ended {
			if !in && strings.TrimSpace(body) != "" && !strings.HasPrefix(strings.TrimSpace(body), "```") && !strings.HasPrefix(strings.TrimSpace(body), "~~~") && at < len(src) {
				b.WriteString("  ")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func quoted(md string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(md, "\n"), "\n") {
		if line == "" {
			b.WriteString(">\n")
			continue
		}
		b.WriteString("> " + line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// fold begins a collapsed section; unfold ends it.
func (m *markdown) fold(summary string) {
	m.put("<details><summary>", plain(summary), "</summary>\n\n")
}

func (m *markdown) unfold() { m.put("</details>\n\n") }

func (m *markdown) item(it *transcript.Item) error {
	c := it.Call
	if c == nil {
		label := "Thought"
		if d := duration(it.EndedAt - it.StartedAt); d != "" {
			label += " for " + d
		}
		text, left := m.s.cutText(it.Text)
		m.fold(label)
		m.put(containedQuote(text), "\n\n")
		if left > 0 {
			m.put("<sub>", leftOut(left), "</sub>\n\n")
		}
		m.unfold()
		return nil
	}
	list, err := m.s.blocksOf(c)
	if err != nil {
		return err
	}
	line := callLine(c)
	if c.Kind == transcript.KindDisplay {
		m.put("**", plain(line), "**\n\n")
		if len(list) > 0 && (list[0].label == "title" || list[0].label == "question") && list[0].text == titleOf(c) {
			list = list[1:] // the line says it
		}
		m.blocks(list)
		return nil
	}
	if len(list) == 0 {
		m.put(plain(line), "\n\n")
		return nil
	}
	m.fold(line)
	m.blocks(list)
	m.unfold()
	return nil
}

// callLine returns a call as one line: "✓ Read main.go · 12 lines · 0.4 s".
func callLine(c *transcript.ToolCall) string {
	line := mark(c.Status) + " " + titleOf(c)
	if c.ParentID != "" {
		line = "↳ " + line
	}
	for _, part := range []string{noteOf(c), statusWord(c.Status)} {
		if part != "" {
			line += " · " + part
		}
	}
	if c.DurationMs != nil && duration(*c.DurationMs) != "" {
		line += " · " + duration(*c.DurationMs)
	}
	return line
}

func (m *markdown) blocks(list []block) {
	for i := range list {
		m.block(&list[i])
	}
}

func (m *markdown) block(b *block) {
	if b.label != "" && b.kind != blockImage && b.kind != blockNote {
		m.put("<sub>", plain(b.label), "</sub>\n\n")
	}
	switch b.kind {
	case blockCode:
		m.put(fenced(b.text, b.lang), "\n\n")
	case blockDiff:
		var text strings.Builder
		for _, l := range b.lines {
			if l.op != '@' {
				text.WriteByte(l.op)
			}
			text.WriteString(l.text + "\n")
		}
		m.put(fenced(text.String(), "diff"), "\n\n")
	case blockImage:
		m.put("![", plain(b.label), "](data:", b.mime, ";base64,", base64.StdEncoding.EncodeToString(b.data), ")\n\n")
	case blockProse:
		m.put(containedQuote(b.text), "\n\n")
	case blockNote:
		m.put("*", plain(b.text), "*\n\n")
	case blockTable:
		for i, row := range b.rows {
			for _, cell := range row {
				m.put("| ", plain(cell), " ")
			}
			m.put("|\n")
			if i == 0 {
				m.put(strings.Repeat("| --- ", len(row)), "|\n")
			}
		}
		m.put("\n")
	}
	if b.left > 0 {
		m.put("<sub>", leftOut(b.left), "</sub>\n\n")
	}
}

func (m *markdown) end(msg *transcript.Message) {
	if msg.Error != nil {
		m.put("> **", plain(msg.Error.Message), "**\n\n")
		if msg.Error.Detail != "" {
			m.put(fenced(msg.Error.Detail, ""), "\n\n")
		}
	}
	if words := stopWords(msg.StopReason); words != "" {
		m.put("*", words, "*\n\n")
	}
}

// stopWords explains why an agent stopped early.
func stopWords(reason string) string {
	return map[string]string{
		"cancelled": "Stopped", "max_tokens": "Stopped at the limit of tokens", "max_turn_requests": "Stopped at the limit of requests",
		"refusal": "The agent refused to continue", transcript.StopBranched: "Continues in another branch",
	}[reason]
}
