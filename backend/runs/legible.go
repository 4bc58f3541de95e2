package runs

import (
	"weft/backend/permission"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// legible returns what an agent reports of a call as the user can read it: with the changes of a patch as diffs, and with a title in place of
// raw arguments; asking says that it is asked about. It reads files. The lock is held.
func (l *liveSession) legible(p *transcript.ToolPatch, asking bool) *transcript.ToolPatch {
	now, look := l.changes.Report(p, l.reported(p, asking))
	if look != nil {
		look.Read(l.files)
		now = toolcalls.Over(now, l.changes.Done(look))
	}
	return now
}

// reported says what a report is. The lock is held.
func (l *liveSession) reported(p *transcript.ToolPatch, asking bool) toolcalls.Reported {
	return toolcalls.Reported{
		Asking: asking, Replayed: l.session.Discarding() || l.s.turns.Replaying(), Fixed: l.gate.Get(p.ID) != nil || l.config.Own(), Own: l.config.Own(), Place: l.s.place(),
	}
}

// legibleRequest is legible for a request for permission about the call, with what rules and the card need of a patch. The lock is held.
func (l *liveSession) legibleRequest(p *transcript.ToolPatch) (*transcript.ToolPatch, permission.Call) {
	p = l.legible(p, true)
	return p, l.changes.Asked(p, l.reported(p, true))
}
