package permission

// uses notes what a command of a known program reads and writes, and follows a change of the folder.
func (s *script) uses(c *Command) {
	u := c.use
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
	if s.folder.inAnotherPackage(s.dir, u.packages) {
		s.doubt(unclearPackage)
	}
	s.deep = s.deep || u.deep
}

// cd follows a change of the folder where it's certain.
func (s *script) cd(u *use) {
	if len(u.operands) != 1 || !u.operands[0].fixed || u.operands[0].text == "-" || s.loose > 0 {
		s.doubt(unclearDynamic)
		return
	}
	to := s.folder.operand(u.operands[0].text, s.dir)
	if s.folder.real == "" {
		return
	}
	if to.Real == "" {
		s.doubt(unclearOutside)
		return
	}
	if !s.folder.isDir(to.Real) {
		s.doubt(unclearDynamic) // it may fail, and what follows runs elsewhere
	}
	s.dir = to.Real
}

// writesFile notes a file that is written.
func (s *script) writesFile(name string) {
	switch {
	case name == "/dev/null" || name == "/dev/stdout" || name == "/dev/stderr":
	case len(s.writes) >= maxPaths:
		s.doubt(unclearLong)
	default:
		s.writes = append(s.writes, s.folder.operand(name, s.dir))
	}
}

// readsFile notes a file that is read.
func (s *script) readsFile(w word) {
	if s.folder.real == "" || w.text == "/dev/null" || w.text == "/dev/stdin" {
		return
	}
	if len(s.reads) >= maxPaths {
		s.doubt(unclearLong)
		return
	}
	files := []File{}
	if w.pattern {
		var ok bool
		if files, ok = s.folder.glob(w.text, s.dir); !ok {
			s.doubt(unclearDynamic)
		}
	} else {
		files = append(files, s.folder.operand(w.text, s.dir))
	}
	for _, f := range files {
		if len(s.reads) >= maxPaths {
			s.doubt(unclearLong)
			return
		}
		if f.Real == "" {
			s.doubt(unclearOutside)
		}
		s.reads = append(s.reads, f)
	}
}
