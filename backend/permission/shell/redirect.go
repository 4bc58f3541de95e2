package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"weft/backend/permission/unclear"
)

// redirect reads where the input of a command comes from, or its output goes.
func (s *Script) redirect(r *syntax.Redirect) {
	if r.N != nil && (len(r.N.Value) != 1 || !digits(r.N.Value)) {
		s.Doubt(unclear.Dynamic) // it sets a variable, or is a word to some shells
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		s.fed = true
		s.document(r)
		return
	case syntax.DplIn, syntax.DplOut:
		if to, ok := s.word(r.Word); !ok || to != "-" && (len(to) != 1 || !digits(to)) {
			s.Doubt(unclear.Dynamic)
		}
		return
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrInOut:
	default:
		s.Doubt(unclear.Dynamic) // not every shell has it
	}
	to, ok := s.word(r.Word)
	switch {
	case r.Op == syntax.WordHdoc:
	case !ok || to == "":
		s.Doubt(unclear.Dynamic)
	case strings.HasPrefix(to, "/dev/tcp/") || strings.HasPrefix(to, "/dev/udp/"):
		s.Doubt(unclear.Dynamic)
	case r.Op == syntax.RdrIn:
		if strings.Trim(to, "0123456789") == "-" {
			s.Doubt(unclear.Dynamic) // a range of numbers to zsh
		}
		s.fed = true
		s.Doubt(s.readsFile(word{text: to, fixed: true}, false))
	default:
		s.Doubt(s.writesFile(to))
	}
}

// document reads the text that is below the line, which is the input of a command.
func (s *Script) document(r *syntax.Redirect) {
	s.word(r.Word)
	if r.Hdoc == nil {
		return
	}
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			s.text += lit.Value
		} else {
			s.part(part)
		}
	}
}
