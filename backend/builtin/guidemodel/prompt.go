package guidemodel

import (
	"encoding/json"
	"errors"
	"strings"

	"weft/backend/builtin/guide"
	"weft/backend/llm"
)

// Prompt seals what the guide needs to know of a prompt into the parts of its message, which language models read: the
// answer is the same parts, the first text of which carries the request under the provider's name. What stands in a
// part as it is, such as an embedded file, is not stored twice. Without any text there is nowhere to seal it; the
// guide then makes do with the parts, as it does with every message that was not sealed.
func Prompt(parts []llm.Part, req guide.Request) []llm.Part {
	out := append([]llm.Part(nil), parts...)
	for i, p := range out {
		text, ok := p.(llm.Text)
		if !ok {
			continue
		}
		data, err := json.Marshal(seal(parts, req))
		if err != nil {
			return out // strings and numbers only: cannot be
		}
		text.Sealed = &llm.Sealed{Provider: Name, Data: data}
		out[i] = text
		break
	}
	return out
}

// sealed is a guide.Request as it is stored.
type sealed struct {
	Text     string           `json:"text"`
	First    bool             `json:"first,omitempty"`
	Folder   string           `json:"folder"`
	Root     string           `json:"root"`
	Files    []string         `json:"files,omitempty"`
	Embedded []sealedEmbedded `json:"embedded,omitempty"`
	Notices  []string         `json:"notices,omitempty"`
	Problem  string           `json:"problem,omitempty"`
}

// sealedEmbedded is a text that came along: Length bytes from At of the text part with the index Part, or Text
// if it stands in none.
type sealedEmbedded struct {
	Name   string `json:"name"`
	Text   string `json:"text,omitempty"`
	Part   int    `json:"part"`
	At     int    `json:"at"`
	Length int    `json:"length"`
}

func seal(parts []llm.Part, req guide.Request) sealed {
	s := sealed{Text: req.Text, First: req.First, Folder: req.Folder, Root: req.Root, Files: req.Files, Notices: req.Notices}
	if req.Problem != nil {
		s.Problem = req.Problem.Error()
	}
	for _, e := range req.Embedded {
		s.Embedded = append(s.Embedded, sealEmbedded(parts, e))
	}
	return s
}

func sealEmbedded(parts []llm.Part, e guide.Embedded) sealedEmbedded {
	for i, p := range parts {
		if text, ok := p.(llm.Text); ok {
			if at := strings.Index(text.Text, e.Text); at >= 0 {
				return sealedEmbedded{Name: e.Name, Part: i, At: at, Length: len(e.Text)}
			}
		}
	}
	return sealedEmbedded{Name: e.Name, Text: e.Text}
}

func (e sealedEmbedded) open(parts []llm.Part) guide.Embedded {
	if e.Length > 0 && e.Part >= 0 && e.Part < len(parts) {
		if text, ok := parts[e.Part].(llm.Text); ok && e.At >= 0 && e.At <= len(text.Text) && e.Length <= len(text.Text)-e.At {
			return guide.Embedded{Name: e.Name, Text: text.Text[e.At : e.At+e.Length]}
		}
	}
	return guide.Embedded{Name: e.Name, Text: e.Text}
}

// notText says what the guide leaves aside.
const notText = "I can only use text and files, so I leave the attached image, sound or binary data aside."

// takePrompt makes the guide's request of a prompt, sealed or not.
func takePrompt(m llm.Message, first bool) guide.Request {
	for _, p := range m.Parts {
		text, ok := p.(llm.Text)
		if !ok {
			continue
		}
		var s sealed
		if data := text.Sealed.By(Name); data == nil || json.Unmarshal(data, &s) != nil {
			continue
		}
		req := guide.Request{Text: s.Text, First: s.First, Folder: s.Folder, Root: s.Root, Files: s.Files, Notices: s.Notices}
		for _, e := range s.Embedded {
			req.Embedded = append(req.Embedded, e.open(m.Parts))
		}
		if s.Problem != "" {
			req.Problem = errors.New(s.Problem)
		}
		return req
	}
	return plainPrompt(m, first)
}

func plainPrompt(m llm.Message, first bool) guide.Request {
	req := guide.Request{First: first, Folder: "this folder"}
	var said []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			said = append(said, p.Text)
		case llm.Image, llm.File:
			req.Notices = append(req.Notices, notText)
		}
	}
	req.Text = strings.TrimSpace(strings.Join(said, " "))
	return req
}
