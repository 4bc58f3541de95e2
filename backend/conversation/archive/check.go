package archive

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// Contents is an overview of a document.
type Contents struct {
	Head     Head
	Spaces   []Space
	Messages []int  // number per space
	Opening  string // beginning of the first text, for a space without a title
}

// Limits of a document's parts that are kept in memory.
const (
	maxSpaces   = 1000
	maxMessages = 2_000_000
	maxMembers  = 200
	maxOpening  = 200
)

// Check validates a whole document and returns an overview. The error is a *[ReadError] if it can't be imported, or one
// of r.
func Check(r io.Reader) (*Contents, error) {
	c := &checker{}
	if err := Read(r, c); err != nil {
		return nil, err
	}
	return &c.Contents, nil
}

type checker struct {
	Contents
	ids     map[string]bool // of the space's messages
	runs    map[string]bool
	all     int
	segment transcript.SegmentType
}

// wrong returns an error about the message, or the conversation, that is being read.
func (c *checker) wrong(format string, args ...any) error {
	return &ReadError{Place: c.place(), Message: fmt.Sprintf(format, args...)}
}

func (c *checker) place() string {
	if len(c.Spaces) == 0 {
		return ""
	}
	at := fmt.Sprintf("spaces[%d]", len(c.Spaces)-1)
	if n := c.Messages[len(c.Messages)-1]; n > 0 {
		at += fmt.Sprintf(".messages[%d]", n-1)
	}
	return at
}

func (c *checker) Head(h *Head) error {
	c.Contents.Head = *h
	return nil
}

// maxTime is the end of the year 9999 in unix ms, the latest time that all programs support.
const maxTime = 253402300799999

func (c *checker) times(all ...int64) error {
	for _, at := range all {
		if at < 0 || at > maxTime {
			return c.wrong("The time %d is invalid. Times are in milliseconds since 1970.", at)
		}
	}
	return nil
}

var memberID = lazyregexp.New(`^[0-9A-Za-z_-]{1,64}$`)

func (c *checker) Space(s *Space) error {
	c.Spaces, c.Messages = append(c.Spaces, *s), append(c.Messages, 0)
	c.ids, c.runs = map[string]bool{}, map[string]bool{}
	if len(c.Spaces) > maxSpaces {
		return c.wrong("%s", fault.Text("The file has more than {{max}} conversations. Export fewer at once.", maxSpaces))
	}
	if len(s.Title) > 10_000 || len(s.Folder) > 100_000 {
		return c.wrong("The title or the folder is too long.")
	}
	if len(s.Members) == 0 || len(s.Members) > maxMembers {
		return c.wrong("A conversation needs 1 to %d members.", maxMembers)
	}
	if s.LastState != "idle" && s.LastState != "failed" {
		return c.wrong("The state “%s” is unknown. Use idle or failed.", short(s.LastState))
	}
	if !slices.Contains([]string{"ask", "rules", "read-only"}, s.Permissions) {
		return c.wrong("The permission mode “%s” is unknown. Use ask, rules or read-only.", short(s.Permissions))
	}
	if err := c.times(s.CreatedAt, s.LastActivity, s.RunEndedAt); err != nil {
		return err
	}
	return c.members(s)
}

func (c *checker) members(s *Space) error {
	ids, names, found := map[string]bool{}, map[string]bool{}, false
	for _, m := range s.Members {
		name := strings.ToLower(m.Name)
		switch {
		case !memberID.MatchString(m.ID):
			return c.wrong("The member id “%s” is invalid.", short(m.ID))
		case ids[m.ID]:
			return c.wrong("Two members have the id “%s”.", short(m.ID))
		case len(m.Name) > 1000 || len(m.AgentID) > 1000 || len(m.AgentName) > 1000 || len(m.Role) > 1<<20:
			return c.wrong("The name, the agent or the role of a member is too long.")
		case m.LeftAt == 0 && names[name]:
			return c.wrong("Two members are called “%s”.", short(m.Name))
		case m.Speaks != "direct" && m.Speaks != "tool", m.Reads != "all" && m.Reads != "joined":
			return c.wrong("How the member “%s” speaks or reads is unknown.", short(m.Name))
		}
		if err := c.times(m.JoinedAt, m.LeftAt); err != nil {
			return err
		}
		ids[m.ID] = true
		if m.LeftAt == 0 {
			names[name] = true
			found = found || m.ID == s.DefaultMember
		}
	}
	if !found {
		return c.wrong("The default member “%s” isn't one of the members.", short(s.DefaultMember))
	}
	return nil
}

func (c *checker) Run(r *Run) error {
	if r.ID == "" || c.runs[r.ID] {
		return c.wrong("A run needs an id of its own.")
	}
	c.runs[r.ID] = true
	return c.times(r.StartedAt, r.EndedAt)
}

func (c *checker) Message(m *transcript.Message) error {
	c.Messages[len(c.Messages)-1]++
	if c.all++; c.all > maxMessages {
		return c.wrong("The file has more than %d messages.", maxMessages)
	}
	if len(m.ID) > 256 {
		return c.wrong("The id of a message is too long.")
	}
	if c.ids[m.ID] {
		return c.wrong("Two messages have the id “%s”.", short(m.ID))
	}
	c.ids[m.ID] = true
	return c.times(m.CreatedAt, m.EndedAt)
}

func (c *checker) Segment(_ int, s *transcript.Segment) error {
	c.segment = s.Type
	if c.Opening == "" && s.Type == transcript.SegmentText {
		c.Opening = clip.Line(clip.Start(s.Text, 16*maxOpening), maxOpening)
	}
	for _, r := range Refs(s) {
		if err := c.checkRef(r); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) Item(_ int, it *transcript.Item) error {
	if c.segment != transcript.SegmentToolGroup {
		return c.wrong("Only a segment of the type tool-group has items.")
	}
	if it.Call == nil {
		return c.times(it.StartedAt, it.EndedAt)
	}
	terminals := map[string]bool{}
	for _, t := range it.Call.Terminals {
		if terminals[t.ID] {
			return c.wrong("Two terminals of the tool call have the id “%s”.", short(t.ID))
		}
		terminals[t.ID] = true
		if t.TextStart < 0 || t.Size < 0 {
			return c.wrong("The output of a terminal has an invalid position.")
		}
		if err := c.times(t.StartedAt); err != nil {
			return err
		}
	}
	for _, r := range CallRefs(it.Call) {
		if err := c.checkRef(r); err != nil {
			return err
		}
	}
	for i := range it.Call.Permissions {
		if err := c.times(it.Call.Permissions[i].RequestedAt, it.Call.Permissions[i].ResolvedAt); err != nil {
			return err
		}
	}
	return c.times(it.Call.StartedAt)
}

func (c *checker) checkRef(r *transcript.Ref) error {
	if !validHash(r.Hash) || r.Size < 0 {
		return c.wrong("A reference to content is invalid.")
	}
	return nil
}

func (c *checker) Opaque(o *transcript.Opaque) error {
	if o.Ref != nil {
		if err := c.checkRef(o.Ref); err != nil {
			return err
		}
	}
	return c.times(o.At)
}

func (c *checker) EndMessage() error { return nil }
func (c *checker) EndSpace() error   { return nil }

func (c *checker) Blob(_ transcript.Ref, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
