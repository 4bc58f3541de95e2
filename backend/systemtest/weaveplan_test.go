//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"weft/backend/conversation/transcript"
	"weft/backend/space/gatedrafts"
)

// weaveOp is one thing that a weaver does.
type weaveOp struct {
	Do    string `json:"do"` // say, think, begin, end, open, write, send, tell
	ID    string `json:"id,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Text  string `json:"text,omitempty"`  // what is said; a fragment of the input; the whole input
	Whole bool   `json:"whole,omitempty"` // the input is shown before the call is made
	Sync  bool   `json:"sync,omitempty"`  // the call is made after Weft has taken what was shown: it comes on another way
	Hide  bool   `json:"hide,omitempty"`  // the call is not shown at all
	Heard string `json:"heard,omitempty"` // what the result has to have

	then func(*woven)
}

// weaveSpace is a space as a plan knows it, with the names of its members.
type weaveSpace struct {
	id      string
	members []string
}

// weavePlan is what one member is to do in one run, and what has to come of it.
type weavePlan struct {
	name   string
	spaces []weaveSpace // that it may add to; the first is its own
	me     string
	later  map[string]bool // "space/name" of those that it may wait for: nobody waits in a circle
	ops    []weaveOp
	asks   []weaveAsk
	hides  bool           // none of its calls is shown: some agents do that
	choice map[string]int // how many displays wait for the user, by space

	rnd  *rand.Rand
	n    int
	want woven
}

// weaveAsk is a run that a mention triggers, with its answer.
type weaveAsk struct{ space, name, reply string }

// woven is a run's messages in each space, with their parts: "T:" texts, "K:" thoughts, "C:" calls, "D:" displays. Neighboring
// texts, and neighboring thoughts, are one.
type woven struct {
	own  string
	open map[string]bool
	list map[string][][]string
}

func newWoven(own string) woven {
	return woven{own: own, open: map[string]bool{own: true}, list: map[string][][]string{own: {nil}}}
}

func (w *woven) add(space, part string) {
	if !w.open[space] {
		w.open[space] = true
		w.list[space] = append(w.list[space], nil)
	}
	last := &w.list[space][len(w.list[space])-1]
	*last = joined(*last, part)
}

func joined(list []string, part string) []string {
	kind, text, _ := strings.Cut(part, ":")
	switch {
	case text == "":
		return list
	case (kind == "T" || kind == "K") && len(list) > 0 && strings.HasPrefix(list[len(list)-1], kind+":"):
		list[len(list)-1] += text
		return list
	}
	return append(list, part)
}

// weaveEarly is a display that was drawn while its input was written, and has not arrived.
const weaveEarly = "D:"

// partsOf is a message as woven has it.
func partsOf(m *transcript.Message) (list []string) {
	for _, s := range m.Segments {
		switch {
		case s.Type == transcript.SegmentText && s.Author == "":
			list = joined(list, "T:"+s.Text)
		case s.Type == transcript.SegmentText && !strings.Contains(s.Text, " received "):
			list = append(list, s.Author+" says "+s.Text)
		case s.Type == transcript.SegmentDisplay:
			list = append(list, "content")
		}
		for _, it := range s.Items {
			switch {
			case it.Call == nil:
				list = joined(list, "K:"+it.Text)
			case it.Call.Kind == "display" && (it.Call.Title == gatedrafts.Named("showCard") || it.Call.Title == gatedrafts.Named("showChoice")):
				list = append(list, weaveEarly)
			case it.Call.Kind == "display":
				list = append(list, "D:"+it.Call.Title)
			default:
				list = append(list, "C:"+it.Call.ID)
			}
		}
	}
	return list
}

func (p *weavePlan) tag() string {
	p.n++
	return fmt.Sprintf("⟨%s.%d⟩", p.name, p.n)
}

var weaveWords = []string{"warp ", "größe ", "日本 ", "🙂", "\n\n", "\"quoted\" ", "back\\slash ", "\t", "</script> ", "\u2028", "x", "shuttle "}

// words is a text that begins with a tag, mostly short.
func (p *weavePlan) words(tag string) string {
	n := p.rnd.IntN(12)
	if p.rnd.IntN(12) == 0 {
		n = 500 + p.rnd.IntN(2500) // more than an event holds
	}
	b := strings.Builder{}
	b.WriteString(tag)
	for range n {
		b.WriteString(weaveWords[p.rnd.IntN(len(weaveWords))])
	}
	return b.String()
}

// write plans a run: a sequence of parts or, with overlap, two that continue at once.
func (p *weavePlan) write(parts int, overlap bool) {
	p.want, p.choice, p.hides = newWoven(p.spaces[0].id), map[string]int{}, p.rnd.IntN(6) == 0
	var threads [][]weaveOp
	if overlap {
		threads = make([][]weaveOp, 2)
	} else {
		threads = make([][]weaveOp, 1)
	}
	for range parts {
		t := p.rnd.IntN(len(threads))
		threads[t] = append(threads[t], p.part(overlap)...)
	}
	for {
		var left []int
		for t, ops := range threads {
			if len(ops) > 0 {
				left = append(left, t)
			}
		}
		if len(left) == 0 {
			return
		}
		t := left[p.rnd.IntN(len(left))]
		o := threads[t][0]
		threads[t] = threads[t][1:]
		if o.then != nil {
			o.then(&p.want)
		}
		p.ops = append(p.ops, o)
	}
}

func (p *weavePlan) part(overlap bool) []weaveOp {
	own := p.spaces[0].id
	switch tag := p.tag(); p.rnd.IntN(8) {
	case 0, 1:
		text := p.words(tag)
		return []weaveOp{{Do: "say", Text: text, then: func(w *woven) { w.add(own, "T:"+text) }}}
	case 2:
		text := p.words(tag)
		return []weaveOp{{Do: "think", Text: text, then: func(w *woven) { w.add(own, "K:"+text) }}}
	case 3:
		return []weaveOp{{Do: "begin", ID: tag, then: func(w *woven) { w.add(own, "C:"+tag) }}, {Do: "end", ID: tag}}
	case 4:
		return p.display(tag, overlap)
	default:
		return p.post(tag, overlap)
	}
}

func (p *weavePlan) display(tag string, overlap bool) []weaveOp {
	own, to := p.spaces[0].id, p.spaces[p.rnd.IntN(len(p.spaces))].id
	title := "Card " + tag
	args := map[string]any{"title": title, "targetSpaceId": to}
	send := weaveOp{Do: "send", ID: tag, Tool: "showCard", Whole: true, Sync: overlap || p.hides}
	if p.rnd.IntN(3) == 0 {
		title = "Choice " + tag
		p.choice[to]++
		send.Tool, send.Heard = "showChoice", `{"choice":"a"}`
		args = map[string]any{"question": title, "options": []any{map[string]any{"id": "a", "label": "A"}}, "targetSpaceId": to}
	}
	input, _ := json.Marshal(args)
	send.Text = string(input)
	open := weaveOp{Do: "open", ID: tag, Tool: send.Tool}
	switch {
	case p.hides:
		send.Hide = true
		send.then = func(w *woven) { w.add(to, "D:"+title) }
		return []weaveOp{send}
	case to == own:
		open.then = func(w *woven) { w.add(own, "D:"+title) }
	default:
		open.then = func(w *woven) { w.add(own, "C:"+tag) }
		send.then = func(w *woven) { w.add(to, "D:"+title) }
	}
	return []weaveOp{open, send}
}

// post is a message to a space, streamed or whole.
func (p *weavePlan) post(tag string, overlap bool) []weaveOp {
	own, at := p.spaces[0].id, p.spaces[p.rnd.IntN(len(p.spaces))]
	to, text := at.id, p.words(tag)
	mention, wait := "", false
	if p.rnd.IntN(4) == 0 && len(at.members) > 1 {
		for mention = p.me; mention == p.me; {
			mention = at.members[p.rnd.IntN(len(at.members))]
		}
		wait = p.later[to+"/"+mention] && p.rnd.IntN(2) == 0
		p.asks = append(p.asks, weaveAsk{to, mention, "heard " + tag})
	}
	send := weaveOp{Do: "send", ID: tag, Tool: "sendSpaceMessage", Whole: p.rnd.IntN(2) == 0, Sync: overlap || p.hides || p.rnd.IntN(4) == 0}
	if wait {
		send.Heard = "heard " + tag
	}
	ends := func(w *woven) {
		if mention != "" {
			w.open[to] = false
		}
	}
	row := func(w *woven) {
		if to != own {
			w.add(own, "C:"+tag)
		}
	}
	target, rest := `"spaceId":`+p.encode(to), ""
	if mention != "" {
		rest += `,"mention":` + p.encode("@"+mention)
	}
	if wait {
		rest += `,"wait":true`
	}
	if !p.hides && p.rnd.IntN(3) == 0 { // the text first: nobody knows where it goes until it is whole
		last := `",` + target + rest + `}`
		pieces := p.pieces(`{"text":"`, text, last)
		ops := []weaveOp{{Do: "open", ID: tag, Tool: send.Tool}}
		for i, piece := range pieces {
			send.Text += piece.raw
			o := weaveOp{Do: "write", ID: tag, Text: piece.raw}
			if i == len(pieces)-1 {
				o.then = func(w *woven) { row(w); w.add(to, "T:"+text) }
			}
			ops = append(ops, o)
		}
		send.then = ends
		return append(ops, send)
	}
	pieces := p.pieces(`{`+target+rest+`,"text":"`, text, `"}`)
	for _, piece := range pieces {
		send.Text += piece.raw
	}
	switch {
	case p.hides:
		send.Hide = true
		send.then = func(w *woven) { w.add(to, "T:"+text); ends(w) }
		return []weaveOp{send}
	case p.rnd.IntN(4) == 0: // not streamed
		send.Whole = true
		send.then = func(w *woven) { row(w); w.add(to, "T:"+text); ends(w) }
		return []weaveOp{{Do: "open", ID: tag, Tool: send.Tool}, send}
	}
	ops := []weaveOp{{Do: "open", ID: tag, Tool: send.Tool}}
	for i, piece := range pieces {
		ops = append(ops, weaveOp{Do: "write", ID: tag, Text: piece.raw, then: func(w *woven) {
			if i == 0 {
				row(w)
			}
			if piece.text != "" { // the end of the input may come alone
				w.add(to, "T:"+piece.text)
			}
		}})
	}
	send.then = ends
	return append(ops, send)
}

// weavePiece is a fragment of an input, and what it adds to the text.
type weavePiece struct{ raw, text string }

// pieces cuts an input between the characters of its text.
func (p *weavePlan) pieces(head, text, tail string) []weavePiece {
	list := []weavePiece{{raw: head}}
	left := p.rnd.IntN(40)
	for _, r := range text {
		last := &list[len(list)-1]
		last.raw += p.escape(r)
		last.text += string(r)
		if left--; left < 0 {
			list, left = append(list, weavePiece{}), p.rnd.IntN(1+len(text)/4)
		}
	}
	list[len(list)-1].raw += tail
	return list
}

// encode is JSON of a text, escaped at random.
func (p *weavePlan) encode(s string) string {
	b := `"`
	for _, r := range s {
		b += p.escape(r)
	}
	return b + `"`
}

func (p *weavePlan) escape(r rune) string {
	if p.rnd.IntN(10) == 0 {
		if r > 0xffff {
			r -= 0x10000
			return fmt.Sprintf(`\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
		return fmt.Sprintf(`\u%04x`, r)
	}
	b := make([]byte, 0, 8)
	raw, _ := json.Marshal(string(utf8.AppendRune(b, r)))
	return string(raw[1 : len(raw)-1])
}
