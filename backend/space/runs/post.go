package runs

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/gatedrafts"
	"weft/backend/space/mentions"
	"weft/backend/space/owner"
	"weft/backend/space/promptqueue"
	"weft/backend/space/team"
)

// ToPost is a text that an agent adds to a space.
type ToPost struct {
	From    MemberKey
	To      string // the space
	Text    string
	Mention string         // name of the member to ask; "" for none
	Wait    bool           // wait for the answer of the mentioned member, or without a mention for any reply in the space
	Sent    jsontext.Value // the arguments as the agent sent them
}

// Posted is the result of [Tools.Post].
type Posted struct {
	MessageID string // of the message with the text
	Reply     string // the answer or reply
	From      string // who replied, without a mention
	Note      string // additional information for the agent
}

// Post adds a text to a space, as a part of the message of the run of p.From. Text that was already shown while the
// agent wrote it isn't added again. Post blocks until the text is stored. With Wait it then blocks until the mentioned
// member's run has ended or, without a mention, until someone has replied in the space, at most Limits.Reply. Errors:
// *Error (no_run, no_space, not_member; with a mention also invalid, denied, deadlock, timeout and cancelled, after the
// text was added, which the sentence says).
func (ts Tools) Post(ctx context.Context, p ToPost) (out Posted, err error) {
	s, r, err := ts.runIn(p.From)
	if err != nil {
		return out, err
	}
	as := *s.member()
	if p.To != p.From.SpaceID {
		if as, err = ts.memberOf(ctx, s, p.To); err != nil {
			return out, err
		}
	}
	var on *Session
	var refused error
	if p.Mention != "" {
		on, refused = ts.mentioned(ctx, p, as)
	}
	var w *mentions.Wait[*Session]
	if on != nil && p.Wait {
		var ok bool
		if w, ok = ts.m.waiting.Begin(s, on, p.Text); !ok {
			on, refused = nil, newError("deadlock", "{{agent}} is waiting for you, so neither of you could continue. End your turn with what it asked for.", on.member().Name)
		} else {
			defer ts.m.waiting.End(w)
		}
	}
	anybody := p.Wait && p.Mention == ""
	if on != nil || anybody {
		if refused = r.mentions.Budget.Spend(r.mentions.Depth+1, ts.m.opt.MentionLimits(), ts.m.opt.Now()); refused != nil {
			on, anybody = nil, false
		}
	}
	var o *mentions.OpenReply
	if anybody {
		o = mentions.NewOpenReply(mentions.OpenReply{ID: s.w.newID("reply"), RunID: r.id, MemberID: as.ID, Name: as.Name, Text: p.Text, At: ts.m.now()})
		defer ts.forgetReply(p.To, o)
	}
	if out.MessageID, err = s.post(ctx, r, p, as, on != nil, refused, o); err != nil {
		return out, err
	}
	ts.m.opt.OnChange(p.To)
	if refused != nil {
		return out, mentions.NotAsked(refused)
	}
	if o != nil {
		got, err := o.Await(ctx, r.done, ts.m.opt.Limits.Reply)
		if err != nil {
			return out, mentions.NoReply(err)
		}
		out.Reply, out.From = got.Text, got.From
		return out, nil
	}
	if on == nil {
		return out, nil
	}
	var carried permission.Mode
	s.Step(func() { carried = s.inbox.Mode.Carried() })
	q := promptqueue.Prompt{Text: p.Text, Said: out.MessageID, From: as.Name, Limit: carried, Budget: r.mentions.Budget, Depth: r.mentions.Depth + 1}
	if p.Wait {
		q.Reply = mentions.NewReplyWaiter()
	}
	on.ask(q)
	ts.m.opt.OnChange(p.To)
	if !p.Wait {
		return out, nil
	}
	if out.Reply, err = q.Reply.Await(ctx, ts.m.opt.Limits.Reply, on.member().Name); err != nil {
		return out, mentions.NoReply(err)
	}
	if asked := ts.m.waiting.End(w); len(asked) > 0 {
		out.Note = on.member().Name + " asked you while you waited for it, and was told that you wait: " + strings.Join(asked, "\n\n")
	}
	return out, nil
}

// mentioned returns the session of the mentioned member.
func (ts Tools) mentioned(ctx context.Context, p ToPost, as team.Member) (*Session, error) {
	target, err := ts.m.runtime(ctx, p.To)
	if err != nil {
		return nil, err
	}
	target.Lock()
	space := target.space
	target.Unlock()
	name := mentions.Named(p.Mention)
	member, found := space.Named(name)
	switch {
	case !found:
		var others []string
		for _, o := range space.Members {
			if o.ID != as.ID {
				others = append(others, o.Name)
			}
		}
		return nil, mentions.Unknown(name, others)
	case member.ID == as.ID:
		return nil, newError("invalid", "You mentioned yourself. Continue without asking.")
	}
	return target.memberSession(ctx, member.ID)
}

// post adds the text. If ends is set or a reply is expected (o), the message then ends. refused is why the mentioned
// member isn't asked or no reply is expected; it is noted in the message.
func (s *Session) post(ctx context.Context, r *run, p ToPost, as team.Member, ends bool, refused error, o *mentions.OpenReply) (messageID string, err error) {
	m, title := s.m, ""
	ends = ends || o != nil
	if p.To != s.space.ID {
		title = m.Tools().quotedTitle(p.To)
	}
	s.Lock()
	gate, g, late := s.claimed(ctx, gatedrafts.SendMessage, p.Sent)
	if s.run != r {
		s.Unlock()
		return "", errNoRun
	}
	text := gate.TakeText(g, p.To, p.Text, s.w.newID("part"))
	if p.To == s.space.ID {
		switch {
		case g != nil:
			g.Kept.Stay()
			if s.turns.Current().Knows(g.ID) { // it has a row, because permission was requested
				gate.Retitle(g, gatedrafts.Here(p.Mention, p.Wait), p.Sent)
			}
		case late != nil:
			late.Drawn = true
		}
		var f *transcript.Fold
		if text.Rest == "" && refused == nil && g != nil && g.Kept.In() != nil {
			f = g.Kept.In() // another mention may have ended that message meanwhile
		} else {
			f = r.currentFold()
		}
		if text.Corrects() {
			text.Correct(f)
		}
		f.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: text.Rest, MessageID: text.Piece, Apart: true, Via: text.Call}, m.now())
		f.EndText(text.Piece, text.Call, false)
		r.mentions.Words.Gap()
		r.mentions.Words.Add(p.Text)
		r.mentions.Words.Gap()
		if refused != nil {
			f.Note(fault.Say("{{reason}}", refused))
		}
		if ends {
			s.turns.Pause()
		}
		s.deliverReply(as, r, p.Text)
		s.expectReply(o, r, text.Call)
		stored := s.Unstored()
		s.Unlock()
		return f.ID, owner.Await(ctx, stored)
	}
	last := r.elsewhere.Open(p.To)
	var c *message
	if text.Rest == "" && refused == nil && g != nil && g.Kept.To() != nil {
		c = g.Kept.To() // its message may have ended, too
	} else {
		c = r.in(p.To)
		last = c
	}
	if g != nil {
		gate.ShowHeld(g)
	}
	gate.Retitle(g, gatedrafts.Elsewhere(title, o != nil), p.Sent)
	s.Flush() // the reply may take long
	if ends {
		r.elsewhere.Detach(p.To)
	}
	s.Unlock()
	if text.Corrects() {
		c.Change(0, text.Correct)
	}
	if text.Rest != "" {
		c.Text(text.Piece, text.Call, text.Rest)
	}
	err = c.Now(ctx, func(t target, f *transcript.Fold) {
		messageID = f.ID
		f.EndText(text.Piece, text.Call, false)
		t.deliverReply(as, r, p.Text)
		t.expectReply(o, r, text.Call)
		if refused != nil {
			f.Note(fault.Say("{{reason}}", refused))
		}
	})
	if ends && last != nil {
		last.End("end_turn", false)
		if err == nil {
			err = last.Now(ctx, func(target, *transcript.Fold) {})
		}
	}
	return messageID, err
}

// ask starts a run with a prompt from another member, or queues the prompt.
func (s *Session) ask(q promptqueue.Prompt) {
	s.Lock()
	defer s.Unlock()
	switch {
	case s.life.Left() || s.gone:
		q.Reply.Give("", errNoMember)
	case s.life.Busy():
		s.enqueue(s.member().ID, q)
		s.Flush()
	default:
		s.begin(q)
	}
}
