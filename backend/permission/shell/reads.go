package shell

import (
	"weft/backend/permission/files"
	"weft/backend/permission/unclear"
)

// uses notes what a command of a known program reads and writes, and follows a change of the folder.
func (s *Script) uses(c *Command) {
	u := c.Use
	if c.Words[0] == "cd" {
		s.cd(u)
		return
	}
	for _, f := range u.files {
		s.readsFile(f)
	}
	for _, f := range u.writes {
		s.writesFile(f.text)
	}
	if s.folder.InAnotherPackage(s.Dir, u.packages) {
		s.Doubt(unclear.Package)
	}
	s.Deep = s.Deep || u.deep
}

// cd follows a change of the folder where it's certain.
func (s *Script) cd(u *Use) {
	if len(u.operands) != 1 || !u.operands[0].fixed || u.operands[0].text == "-" || s.loose > 0 {
		s.Doubt(unclear.Dynamic)
		return
	}
	to := s.folder.Operand(u.operands[0].text, s.Dir)
	if s.folder.Real == "" {
		return
	}
	if to.Real == "" {
		s.Doubt(unclear.Outside)
		return
	}
	if !s.folder.IsDir(to.Real) {
		s.Doubt(unclear.Dynamic) // it may fail, and what follows runs elsewhere
	}
	s.Dir = to.Real
}

// writesFile notes a file that is written.
func (s *Script) writesFile(name string) {
	switch {
	case name == "/dev/null" || name == "/dev/stdout" || name == "/dev/stderr":
	case len(s.Writes) >= files.Max:
		s.Doubt(unclear.Long)
	default:
		s.Writes = append(s.Writes, s.folder.Operand(name, s.Dir))
	}
}

// readsFile notes a file that is read.
func (s *Script) readsFile(w word) {
	if s.folder.Real == "" || w.text == "/dev/null" || w.text == "/dev/stdin" {
		return
	}
	if len(s.Reads) >= files.Max {
		s.Doubt(unclear.Long)
		return
	}
	found := []files.File{}
	if w.pattern {
		var ok bool
		if found, ok = s.folder.Glob(w.text, s.Dir); !ok {
			s.Doubt(unclear.Dynamic)
		}
	} else {
		found = append(found, s.folder.Operand(w.text, s.Dir))
	}
	for _, f := range found {
		if len(s.Reads) >= files.Max {
			s.Doubt(unclear.Long)
			return
		}
		if f.Real == "" {
			s.Doubt(unclear.Outside)
		}
		s.Reads = append(s.Reads, f)
	}
}
