package prelude

import (
	"context"
	"fmt"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

// Limits of the prelude, in bytes.
const (
	maxHead    = 12 << 10 // of the beginning of the conversation
	maxTail    = 52 << 10 // of its end
	maxMessage = 12 << 10
	maxLine    = 240 // of a tool call's line
)

// maxPages is how many pages of one message are read.
const maxPages = 8

// The text before the conversation, so that no model takes it for a prompt.
const (
	openingNew = `You do not remember this conversation: your session is new. This is what was said and done in it before, as the user sees it. Of tool calls only a line each is here, without their results; look again where you need them. Do not answer this record. Continue from it with the prompt that comes with it.
`
	openingSince = `This is what others have said and done in this space since you last did. Do not answer this record. Continue from it with the prompt that comes with it.
`
)

// Prelude is the text that an agent gets before a prompt.
type Prelude struct {
	Text     string
	Messages bool // it contains messages, not only a briefing
	LeftOut  int  // number of messages that were left out
	Cut      bool // parts of messages were left out
}

// Source reads the messages of a space. [pages.Pages] implements it.
type Source interface {
	Before(ctx context.Context, spaceID string, at *pages.Cursor, limit int) (pages.Page, error)
	After(ctx context.Context, spaceID string, at pages.Cursor, limit int) (pages.Page, error)
}

// Loss is why the agent has a new session although there was an earlier one.
type Loss int

const (
	// NoLoss means that there was no earlier session, or that it is continued.
	NoLoss Loss = iota
	// Replaced means that nobody expected it to continue: the space has another folder now, or the agent doesn't
	// continue sessions.
	Replaced
	// Forgotten means that the agent no longer knows it.
	Forgotten
	// Lost means that the agent couldn't continue it.
	Lost
)

// Query says which member gets the prelude, and when.
type Query struct {
	SpaceID string
	Me      Member
	Company bool // the space has other members: include what the user said to them
	// New means that the session is new and gets the conversation before the prompt. Otherwise the agent gets what
	// others have said since its last message.
	New      bool
	PromptID string // the message with the prompt
	RunID    string // the run that the prompt starts
}

// Member is an agent in a space.
type Member struct {
	ID     string
	Name   string
	Role   string // the user's description of its role
	ByTool bool   // only what it sends with a tool is shown in the space
	Since  int64  // messages up to this position are left out
}

// Read returns the conversation part of the prelude, nil if it is empty.
func Read(ctx context.Context, from Source, q Query) (*Prelude, error) {
	r := &reader{ctx: ctx, from: from, q: q}
	switch {
	case q.New:
		return r.before()
	case q.Company:
		return r.news()
	}
	return nil, nil
}

// Marks stores which briefing each member got last.
type Marks interface {
	Get(ctx context.Context, key string) (value string, ok bool, err error)
	Set(ctx context.Context, key, value string) error
}

// Told returns the prelude: the conversation ([Read]), and a briefing unless the member already knows it; nil if both
// are empty.
func Told(ctx context.Context, from Source, marks Marks, q Query, members []Member) (*Prelude, error) {
	told, err := Read(ctx, from, q)
	if err != nil {
		return nil, err
	}
	key := "briefed:" + q.SpaceID + "@" + q.Me.ID
	was, _, err := marks.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	brief, mark := Again(Briefing(q.SpaceID, members, q.Me), was, q.New)
	if mark != "" {
		if err := marks.Set(ctx, key, mark); err != nil {
			return nil, err
		}
	}
	return told.With(brief), nil
}

// With returns the prelude with a briefing before it, in a frame that is recognized when an agent echoes it. p may be
// nil. The result is nil if both are empty.
func (p *Prelude) With(briefing string) *Prelude {
	if p == nil && briefing == "" {
		return nil
	}
	var all Prelude
	if p != nil {
		all = *p
	}
	all.Text = transcript.PreludeOpening + "\n" + briefing + all.Text + transcript.PreludeEnd
	return &all
}

// Notice returns the note that tells the user what the agent received, or "" if that isn't necessary. lost is why an
// earlier session wasn't continued.
func (p *Prelude) Notice(q Query, lost Loss) fault.Said {
	if !p.Messages || lost != Lost && (!q.New || q.Company) && p.LeftOut == 0 && !p.Cut {
		return "" // normal with other members in the space
	}
	// The frontend looks up the template of a text, so each sentence has one that includes its period.
	me, why, whole := q.Me.Name, fault.Template("A new session was started, and {{agent}} received the conversation so far"),
		fault.Template("A new session was started, and {{agent}} received the conversation so far.")
	switch {
	case !q.New:
		why, whole = "{{agent}} received what others said since its last message", "{{agent}} received what others said since its last message."
	case lost == Lost:
		why = "{{agent}} couldn't continue its session. A new one was started and received the conversation so far"
		whole = "{{agent}} couldn't continue its session. A new one was started and received the conversation so far."
	case lost == Forgotten:
		why = "{{agent}} no longer knew this conversation. A new session was started and received the conversation so far"
		whole = "{{agent}} no longer knew this conversation. A new session was started and received the conversation so far."
	}
	switch {
	case p.LeftOut == 1:
		return fault.Say("{{what}}, except 1 message in the middle, because it is long.", fault.Say(why, me))
	case p.LeftOut > 1:
		return fault.Say("{{what}}, except {{n}} messages in the middle, because it is long.", fault.Say(why, me), p.LeftOut)
	case p.Cut:
		return fault.Say("{{what}}, with long messages cut short.", fault.Say(why, me))
	}
	return fault.Say(whole, me)
}

// written builds the prelude from the messages that were read.
func written(opening string, head []string, leftOut int, tail []string, cut bool) *Prelude {
	var b strings.Builder
	b.WriteString(opening)
	for _, text := range head {
		b.WriteString(text)
	}
	if leftOut > 0 {
		fmt.Fprintf(&b, "\n[%d messages are left out here]\n", leftOut)
	}
	for _, text := range tail {
		b.WriteString(text)
	}
	return &Prelude{Text: b.String(), Messages: true, LeftOut: leftOut, Cut: cut}
}
