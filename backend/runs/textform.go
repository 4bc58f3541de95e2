package runs

// maxRead is how many files are remembered as read.
const maxRead = 1 << 14

// noteRead notes that the agent has read a file through Weft. The lock is held.
func (l *link) noteRead(path string) {
	if l.read == nil {
		l.read = map[string]bool{}
	}
	if len(l.read) < maxRead {
		l.read[l.folder().Key(path)] = true
	}
}

// hasRead reports whether the agent has read a file through Weft in this session.
func (l *link) hasRead(path string) bool {
	l.s.Lock()
	defer l.s.Unlock()
	return l.read[l.folder().Key(path)]
}
