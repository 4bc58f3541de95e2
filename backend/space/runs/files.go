package runs

import (
	"context"

	"weft/backend/space/agentfiles"
	"weft/backend/space/requests"
)

// folder returns the space's folder, for deciding about operations in it.
func (l agentRequests) folder() requests.Folder {
	return requests.Folder{Path: l.s.space.Folder, Text: func(path string) (string, error) { return l.conn.Files.ReadText(path, 0, 0) }}
}

// fileRequests returns the handler of the agent's file requests.
func (l agentRequests) fileRequests() *agentfiles.Files {
	return &agentfiles.Files{Files: l.conn.Files, Folder: l.folder(), Session: fileSession{l}, Writes: &l.writes, Program: func() string { return l.session.About.Name }}
}

// fileSession implements [agentfiles.Session].
type fileSession struct{ l agentRequests }

// Consent implements [agentfiles.Session].
func (f fileSession) Consent(ctx context.Context, o *requests.Operation) (done func(error), err error) {
	return f.l.consent(ctx, o)
}

// HasRead implements [agentfiles.Session].
func (f fileSession) HasRead(path string) bool {
	f.l.s.Lock()
	defer f.l.s.Unlock()
	return f.l.read.Has(f.l.folder().Key(path))
}

// Read implements [agentfiles.Session].
func (f fileSession) Read(path string, from, to int) {
	f.l.s.Step(func() {
		f.l.read.Note(f.l.folder().Key(path))
		f.l.s.publishPlace(f.l.s.trail.At(path, from, to, false, f.l.s.m.now()))
	})
}

// Wrote implements [agentfiles.Session].
func (f fileSession) Wrote(path string) {
	f.l.s.Step(func() { f.l.s.publishPlace(f.l.s.trail.At(path, 0, 0, true, f.l.s.m.now())) })
}

// Watched implements [agentfiles.Session].
func (f fileSession) Watched(ctx context.Context, path string, write func() error) error {
	return f.l.s.m.opt.Watch.Write(ctx, f.l.s.space.ID, path, write)
}
