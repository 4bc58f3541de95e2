package runs

import (
	"weft/backend/acpsession"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
	"weft/backend/usage"
)

// acpSpace is the space of a session for how that is opened. It implements [acpsession.Space].
type acpSpace struct{ l *liveSession }

func (a acpSpace) Step(do func())     { a.l.s.Step(do) }
func (a acpSpace) Current() bool      { return a.l.s.life.Live() == a.l }
func (a acpSpace) InTurn() bool       { return a.l.s.run != nil }
func (a acpSpace) Offers(signIn bool) { a.l.s.tellOffer(a.l, signIn) }
func (a acpSpace) Flush()             { a.l.s.Flush() }

func (a acpSpace) Update(list []*transcript.Update) {
	for _, u := range list {
		a.l.update(u)
	}
	a.l.s.Pace(false)
}

func (a acpSpace) Replay(begins bool) {
	if begins {
		a.l.s.turns.Replay()
	} else {
		a.l.s.turns.EndReplay()
	}
}

func (a acpSpace) FromZero() {
	a.l.s.cost = usage.Cost{}
	if a.l.s.run != nil {
		a.l.s.run.before = usage.Cost{}
	}
}

// acpStore has the sessions and the prompts of spaces. It implements [acpsession.Store].
type acpStore struct {
	*spaces.Sessions
	*pages.Pages
}

// acpOptions are what the ACP session of l needs to know.
func (l *liveSession) acpOptions() acpsession.Options {
	m := l.s.m
	o := acpsession.Options{
		SpaceID: l.s.space.ID, MemberID: l.s.member.ID, Config: l.config, Folder: l.s.space.Folder, Space: acpSpace{l},
		Offered: &l.s.options, Known: &l.s.signIns, Now: m.now, Redact: func(text string) string { return m.redactor().Text(text) },
		SawLogOut: func(can bool) { m.notes.SawLogOut(l.config, can) },
		NotRestored: func(option string, err error) {
			m.opt.Log.Warn().Err(err).Str("agent", l.config.ID).Str("option", option).Msg("an option of the session could not be restored")
		},
	}
	if s := m.opt.Store; s != nil {
		o.Store = acpStore{s.Sessions, s.Pages}
	}
	return o
}
