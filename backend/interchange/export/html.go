package export

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
	"time"

	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

//go:embed page.css
var pageCSS string

// pageHead is the start of the file. Its policy allows only the style below and embedded images.
var pageHead = func() string {
	style := strings.TrimSpace(pageCSS)
	sum := sha256.Sum256([]byte(style))
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weft">
<style>` + style + "</style>\n<title>"
}()

// writeHTML writes one self-contained file: it looks like the window, folds without a script, and loads nothing.
func writeHTML(s *source, w *bufio.Writer) error {
	h := &page{s: s, w: w}
	h.put(pageHead)
	h.text(cmp.Or(oneLine(s.e.parts[0].space.Title), "Conversation"))
	h.put("</title>\n</head>\n<body>\n<main>\n")
	for i := range s.e.parts {
		if err := h.part(i); err != nil {
			return err
		}
	}
	h.put("<footer>Exported from Weft</footer>\n</main>\n</body>\n</html>\n")
	return nil
}

// perChunk is the number of segments and items per chunk. The browser skips the layout of chunks that are out of view.
const perChunk = 40

type page struct {
	s       *source
	w       *bufio.Writer
	authors names
	chunk   int  // number of segments and items in the open chunk, 0: none is open
	group   bool // a folded group is open
}

func (h *page) put(parts ...string) {
	for _, p := range parts {
		_, _ = h.w.WriteString(p) // the writer keeps its error
	}
}

func (h *page) text(s string) { escape(h.w, strings.ToValidUTF8(s, "\uFFFD")) }

func (h *page) tag(open, text, end string) {
	h.put(open)
	h.text(text)
	h.put(end)
}

func (h *page) part(i int) error {
	p := &h.s.e.parts[i]
	h.authors = namesOf(p)
	if i > 0 {
		h.put("<div class=\"next\"></div>")
	}
	h.tag("<h1>", cmp.Or(oneLine(p.space.Title), "Conversation"), "</h1>\n<div class=\"about\">")
	lines := h.s.about(i)
	for _, line := range lines[:len(lines)-1] {
		h.tag("<p>", line, "</p>")
	}
	h.put("</div>")
	for piece, err := range h.s.pieces(p) {
		if err != nil {
			return err
		}
		if piece.Ord <= p.known {
			continue
		}
		if err := h.piece(&piece); err != nil {
			return err
		}
	}
	return nil
}

func (h *page) piece(x *pages.Piece) error {
	switch x.Kind {
	case pages.PieceMessage:
		h.begin(x.Message)
	case pages.PieceSegment:
		return h.segment(x)
	case pages.PieceItem:
		h.next()
		return h.item(x.Item)
	case pages.PieceOpaque:
	case pages.PieceEnd:
		h.end(x.Message)
	}
	return nil
}

func (h *page) begin(m *transcript.Message) {
	at := time.UnixMilli(m.CreatedAt).UTC().Format(time.RFC3339)
	if m.Role == transcript.RoleUser {
		h.tag("<section class=\"prompt\"><h2>", h.authors.of(m), " <time datetime=\""+at+"\">"+stamp(m.CreatedAt)+"</time></h2>")
		return
	}
	h.tag("<section class=\"said\"><div class=\"head\"><h2>", h.authors.of(m), "</h2>")
	if m.Model != "" {
		h.tag("<span>", m.Model, "</span>")
	}
	h.put("<time datetime=\"", at, "\">", stamp(m.CreatedAt), "</time></div>")
}

// next begins a chunk if none is open, or if it is full and no group is open.
func (h *page) next() {
	if h.chunk >= perChunk {
		h.endChunk()
	}
	if h.chunk == 0 {
		h.put("<div class=\"c\">")
	}
	h.chunk++
}

func (h *page) endChunk() {
	if h.chunk > 0 {
		h.put("</div>")
	}
	h.chunk = 0
}

// endGroup ends the open group, with the chunk in it.
func (h *page) endGroup() {
	if h.group {
		h.endChunk()
		h.put("</details\n>")
	}
	h.group = false
}

func (h *page) segment(x *pages.Piece) error {
	h.endGroup()
	seg := x.Segment
	switch seg.Type {
	case transcript.SegmentText:
		h.next()
		return h.words(x.Message, seg)
	case transcript.SegmentDisplay:
		h.next()
		b := h.s.shower()
		b.content(seg.Display, nil)
		if b.err != nil {
			return b.err
		}
		return h.blocks(b.list)
	case transcript.SegmentToolGroup:
		shown := x.Counts.Kinds[transcript.KindDisplay]
		calls := -shown
		status := transcript.StatusCompleted
		for s, n := range x.Counts.Statuses {
			calls += n
			if n > 0 && s == string(transcript.StatusFailed) {
				status = transcript.StatusFailed
			}
		}
		if calls < 2 {
			return nil
		}
		h.endChunk()
		h.group = true
		open := ""
		if shown > 0 { // to the user, who should not have to look for it
			open = " open"
		}
		h.tag("<details class=\"group\""+open+"><summary class=\""+string(status)+"\">", groupLabel(x.Counts.Kinds, x.Counts.Statuses), "</summary>")
	}
	return nil
}

func (h *page) words(m *transcript.Message, seg *transcript.Segment) error {
	text, left := h.s.cutText(seg.Text)
	switch {
	case m.Role == transcript.RoleUser:
		h.tag("<div class=\"words\">", text, "</div>")
	case seg.Author != "":
		h.tag("<p class=\"aside\">", text, "</p>")
	default:
		class := "prose"
		if seg.ParentToolCallID != "" {
			class += " in"
		}
		if simple(text) {
			h.tag("<p class=\""+class+"\">", text, "</p>")
			break
		}
		h.put("<div class=\"", class, "\">")
		if err := prose(h.w, text); err != nil {
			return err
		}
		h.put("</div>")
	}
	h.left(left)
	return nil
}

func (h *page) left(n int64) {
	if n > 0 {
		h.tag("<p class=\"l\">", leftOut(n), "</p>")
	}
}

func (h *page) item(it *transcript.Item) error {
	c := it.Call
	if c == nil {
		h.put("<details class=\"thought\"><summary class=\"thought\">Thought")
		if d := duration(it.EndedAt - it.StartedAt); d != "" {
			h.put("<span class=\"n\">", d, "</span>")
		}
		h.put("</summary><div class=\"prose\">")
		text, left := h.s.cutText(it.Text)
		if err := prose(h.w, text); err != nil {
			return err
		}
		h.put("</div>")
		h.left(left)
		h.put("</details\n>")
		return nil
	}
	list, err := h.s.blocksOf(c)
	if err != nil {
		return err
	}
	in := ""
	if c.ParentID != "" {
		in = " in"
	}
	if c.Kind == transcript.KindDisplay {
		h.put("<div class=\"shown", in, "\">")
		if len(list) == 0 || list[0].label != "title" && list[0].label != "question" {
			h.tag("<p class=\"q\">", titleOf(c), "</p>")
		}
		if err := h.blocks(list); err != nil {
			return err
		}
		h.put("</div>")
		return nil
	}
	if len(list) == 0 {
		h.put("<div class=\"line ", string(c.Status), in, "\">")
		h.line(c)
		h.put("</div>")
		return nil
	}
	h.put("<details class=\"call", in, "\"><summary class=\"", string(c.Status), "\">")
	h.line(c)
	h.put("</summary>")
	if err := h.blocks(list); err != nil {
		return err
	}
	h.put("</details\n>")
	return nil
}

// line writes a call as one line.
func (h *page) line(c *transcript.ToolCall) {
	h.text(titleOf(c))
	if note := noteOf(c); note != "" {
		h.tag("<span class=\"n\">", note, "</span>")
	}
	if word := statusWord(c.Status); word != "" {
		class := "n"
		if c.Status == transcript.StatusFailed {
			class = "n failed"
		}
		h.put("<span class=\"", class, "\">", word, "</span>")
	}
	if c.DurationMs != nil && duration(*c.DurationMs) != "" {
		h.put("<span class=\"n\">", duration(*c.DurationMs), "</span>")
	}
}

func (h *page) blocks(list []block) error {
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		if err := h.block(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// labelled maps the common labels of code to their classes.
var labelled = map[string]string{"Input": "i", "Command": "cmd", "Output": "o", "Result": "res", "Error": "err", "Answer": "ans"}

func (h *page) block(b *block) error {
	class := labelled[b.label] // drawn by the style, which keeps the page small
	if b.label != "" && b.kind != blockImage && b.kind != blockNote && (class == "" || b.kind != blockCode) {
		h.tag("<p class=\"l\">", oneLine(b.label), "</p>")
	}
	switch b.kind {
	case blockCode:
		if class != "" {
			h.put("<pre class=\"", class, "\">")
		} else {
			h.put("<pre>")
		}
		h.tag("", strings.TrimRight(b.text, "\n"), "</pre>")
	case blockDiff:
		h.put("<pre class=\"diff\">")
		for _, l := range b.lines {
			class := map[byte]string{'+': "a", '-': "r", '@': "h", ' ': "e"}[l.op]
			text := l.text
			if l.op != '@' {
				text = string(l.op) + text
			}
			h.tag("<span class=\""+class+"\">", text, "</span>")
		}
		h.put("</pre>")
	case blockImage:
		h.tag("<img alt=\"", b.label, "\" src=\"data:"+b.mime+";base64,")
		e := base64.NewEncoder(base64.StdEncoding, h.w)
		_, _ = e.Write(b.data)
		_ = e.Close()
		h.put("\">")
	case blockProse:
		h.put("<div class=\"prose\">")
		if err := prose(h.w, b.text); err != nil {
			return err
		}
		h.put("</div>")
	case blockNote:
		class := "l"
		if b.label == "title" || b.label == "question" {
			class = "q"
		}
		h.tag("<p class=\""+class+"\">", b.text, "</p>")
	case blockTable:
		switch {
		case b.form != nil:
			h.put("<dl class=\"form\">")
			for _, row := range b.rows[1:] {
				h.tag("<dt>", row[0], "</dt>")
				h.tag("<dd>", row[1], "</dd>")
			}
			h.put("</dl>")
		case b.chart != nil && h.chart(b.chart):
			h.put("<details class=\"data\"><summary>Data</summary>")
			h.table(b.rows)
			h.left(b.left)
			h.put("</details\n>")
			return nil
		default:
			h.table(b.rows)
		}
	}
	h.left(b.left)
	return nil
}

func (h *page) table(rows [][]string) {
	h.put("<table>")
	for i, row := range rows {
		h.put("<tr>")
		for _, cell := range row {
			if i == 0 {
				h.tag("<th scope=\"col\">", cell, "</th>")
			} else {
				h.tag("<td>", cell, "</td>")
			}
		}
		h.put("</tr>")
	}
	h.put("</table>")
}

func (h *page) end(m *transcript.Message) {
	h.endGroup()
	h.endChunk()
	if m.Error != nil {
		h.tag("<div class=\"error\"><p>", m.Error.Message, "</p>")
		if m.Error.Detail != "" {
			h.tag("<pre>", m.Error.Detail, "</pre>")
		}
		h.put("</div>")
	}
	if words := stopWords(m.StopReason); words != "" {
		h.put("<p class=\"l\">", words, "</p>")
	}
	h.put("</section\n>")
}
