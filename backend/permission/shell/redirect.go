package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"weft/backend/permission/unclear"
)

// redirect reads a redirection of a command.
func (s *Script) redirect(r *syntax.Redirect) {
	if r.N != nil && (len(r.N.Value) != 1 || !digits(r.N.Value)) {
		s.MarkUnclear(unclear.Dynamic) // it sets a variable, or is an argument in some shells
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		s.hasInput = true
		s.document(r)
		return
	case syntax.DplIn, syntax.DplOut:
		if to, ok := s.word(r.Word); !ok || to != "-" && (len(to) != 1 || !digits(to)) {
			s.MarkUnclear(unclear.Dynamic)
		}
		return
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrInOut:
	default:
		s.MarkUnclear(unclear.Dynamic) // not every shell supports it
	}
	to, ok := s.word(r.Word)
	switch {
	case r.Op == syntax.WordHdoc:
	case !ok || to == "":
		s.MarkUnclear(unclear.Dynamic)
	case strings.HasPrefix(to, "/dev/tcp/") || strings.HasPrefix(to, "/dev/udp/"):
		s.MarkUnclear(unclear.Dynamic)
	case r.Op == syntax.RdrIn:
		if strings.Trim(to, "0123456789") == "-" {
			s.MarkUnclear(unclear.Dynamic) // a numeric range in zsh
		}
		s.hasInput = true
		s.MarkUnclear(s.readsFile(word{text: to, fixed: true}, false))
	default:
		s.MarkUnclear(s.writesFile(to))
	}
}

// document reads a here-document, which is the input of a command.
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
