package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/backend/attachment"
	"weft/backend/prompt"
	"weft/backend/transcript"
)

// openReply is a run that waits for any reply in a space: what the user writes there, or what a member says there.
type openReply struct {
	id   string
	of   *run
	as   Member // of the space, that waits
	text string // what it has said
	at   int64  // unix ms
	got  chan reply
}

// reply is what was said to one that waits for any reply.
type reply struct{ from, text string }

// byUser is whom an agent reads a reply of the user to be from.
const byUser = "the user"

func newOpenReply(id string, of *run, as Member, text string, at int64) *openReply {
	return &openReply{id: id, of: of, as: as, text: text, at: at, got: make(chan reply, 1)}
}

// await blocks until somebody has replied, the run is over, or the limit is reached.
func (m *Manager) await(ctx context.Context, o *openReply) (reply, error) {
	limit := time.NewTimer(m.opt.Limits.Reply)
	defer limit.Stop()
	select {
	case got := <-o.got:
		return got, nil
	case <-limit.C:
		return reply{}, &Error{Code: "timeout", Message: fmt.Sprintf("nobody has answered within %s. What is answered later will stand in the space.", seconds(m.opt.Limits.Reply))}
	case <-o.of.done:
		return reply{}, &Error{Code: "cancelled", Message: "The run has ended."}
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
}

// expectReply notes one that waits from now on; nil is nobody. The lock is held.
func (r *room) expectReply(o *openReply) {
	if o != nil {
		r.replies = append(slices.Clone(r.replies), o)
		r.touched()
	}
}

// forgetReply ends a wait, however it ended.
func (m *Manager) forgetReply(spaceID string, o *openReply) {
	if r := m.open(spaceID); r != nil {
		r.Lock()
		r.replies = slices.DeleteFunc(slices.Clone(r.replies), func(x *openReply) bool { return x == o })
		r.changed()
		r.Unlock()
	}
}

// heard hands what a member has said to those that wait for a reply in the space, but not to itself. The lock is held.
func (r *room) heard(from Member, by *run, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	r.replies = slices.DeleteFunc(slices.Clone(r.replies), func(o *openReply) bool {
		if o.of == by || o.as.ID == from.ID {
			return false
		}
		r.after(func() { o.got <- reply{from.Name, text} }) // has room: it is given once
		r.touched()
		return true
	})
}

// Reply adds what the user writes to a space as the answer to a run that waits for one there: the one with the id, "" for the
// one that has waited longest. It blocks for a commit and returns the id of the one that it has answered, and of the message. Error: not_waiting.
func (m *Manager) Reply(_ context.Context, spaceID, id, text string, parts ...Part) (answered, messageID string, err error) {
	r := m.open(spaceID)
	if r == nil {
		return "", "", errNoReply
	}
	err = r.do(command{change: func() (then, undo func(), err error) {
		i := slices.IndexFunc(r.replies, func(o *openReply) bool { return id == "" || o.id == id })
		if i < 0 {
			return nil, nil, errNoReply
		}
		if r.gone {
			return nil, nil, errClosing
		}
		answered, messageID, then = r.reply(r.replies[i], text, parts)
		return then, nil, nil
	}})
	return answered, messageID, err
}

// reply adds what the user writes to one that waits for a reply; then hands it over. The lock is held.
func (r *room) reply(o *openReply, text string, parts []Part) (answered, messageID string, then func()) {
	said := transcript.NewTurns(&r.box, transcript.Author{Kind: "person"}, transcript.Author{}, func() string { return r.newID("msg") })
	messageID = said.Prompt(text, prompt.Contents(parts)...)
	return o.id, messageID, func() {
		n := len(r.replies)
		r.replies = slices.DeleteFunc(slices.Clone(r.replies), func(x *openReply) bool { return x == o })
		if len(r.replies) < n { // it still waits
			o.got <- reply{byUser, withParts(text, parts)}
		}
		r.changed()
	}
}

var errNoReply = &Error{Code: "not_waiting", Message: "Nobody is waiting for this answer anymore. Send it as a prompt instead."}

// withParts is a text with the names of what goes along with it, as the one that waits can read no more of that.
func withParts(text string, parts []Part) string {
	for _, p := range parts {
		text += "\n\n[attached: " + attachment.Shown(cmp.Or(p.Path, p.Name)) + "]"
	}
	return strings.TrimSpace(text)
}
