package prelude

import (
	"context"
	"fmt"
	"strings"

	"weft/backend/fault"
	"weft/backend/store/pages"
	"weft/backend/transcript"
)

// Bounds of what an agent is told, in bytes.
const (
	maxHead    = 12 << 10 // of how the conversation began
	maxTail    = 52 << 10 // of how it ended
	maxMessage = 12 << 10
	maxLine    = 240 // of a tool call
)

// maxPages is how many pages of one message are read.
const maxPages = 8

// What is before the conversation, so that nobody takes it for a prompt.
const (
	openingNew = `You do not remember this conversation: your session is new. This is what was said and done in it before, as the user sees it. Of tool calls only a line each is here, without their results; look again where you need them. Do not answer this record. Continue from it with the prompt that comes with it.
`
	openingSince = `This is what others have said and done in this space since you last did. Do not answer this record. Continue from it with the prompt that comes with it.
`
)

// Prelude is what an agent is told before a prompt.
type Prelude struct {
	Text     string
	Messages bool // it has messages, not only a briefing
	LeftOut  int  // messages that were left out
	Cut      bool // or parts of messages
}

// Source reads the messages of a space, as [pages.Pages] does.
type Source interface {
	Before(ctx context.Context, spaceID string, at *pages.Cursor, limit int) (pages.Page, error)
	After(ctx context.Context, spaceID string, at pages.Cursor, limit int) (pages.Page, error)
}

// Loss says why the agent has a new session, though there was an earlier one.
type Loss int

const (
	// NoLoss says that there was none, or that it is continued.
	NoLoss Loss = iota
	// Replaced says that nobody expected it to be continued: the space has another folder now, or the agent continues no sessions.
	Replaced
	// Forgotten says that the agent doesn't know it any more.
	Forgotten
	// Lost says that the agent could not continue it.
	Lost
)

// Query says who is told, and when.
type Query struct {
	SpaceID string
	Me      Member
	Company bool // the space has other members: what the user said to them is told, too
	// New: the session is new, and is told the conversation before the prompt. Else the agent is told what others have said since its last
	// message.
	New      bool
	PromptID string // the message with the prompt
	RunID    string // the run that the prompt starts
}

// Member is an agent in a space.
type Member struct {
	ID     string
	Name   string
	Role   string // what the user has written about it
	ByTool bool   // only what it sends by tool is said in the space
	Since  int64  // messages up to this place are not told
}

// Read returns the conversation that an agent is told, nil if there is nothing to tell.
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

// Marks keep which briefing a member was told last.
type Marks interface {
	Get(ctx context.Context, key string) (value string, ok bool, err error)
	Set(ctx context.Context, key, value string) error
}

// Told returns what an agent is told before a prompt: the conversation ([Read]), and who it is among the members of the space, unless it knows
// that. Nil if there is nothing to tell.
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

// With returns the prelude with a briefing before it, framed so that it is known when an agent repeats it. P may be nil; so is the result if both are
// empty.
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

// Notice returns the sentence that tells the user what the agent with the name was told, "" if there is no need to. Lost is why it doesn't
// continue an earlier session.
func (p *Prelude) Notice(q Query, lost Loss) fault.Said {
	if !p.Messages || lost != Lost && (!q.New || q.Company) && p.LeftOut == 0 && !p.Cut {
		return "" // with others in the space that is how it is
	}
	// The window finds the templates in the text again, so each sentence has one with its period.
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

// written returns the prelude of what was read.
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
