package gateway

import (
	"context"
	"encoding/json"

	"weft/backend/gateway/tools"
)

// Caller is the session that a token belongs to.
type Caller struct{ SpaceID, MemberID, AgentID string }

// Space is a space that the caller is a member of.
type Space struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Folder  string   `json:"folder"`
	You     string   `json:"you"`     // what the caller is called there
	Members []string `json:"members"` // who else can be mentioned
	Current bool     `json:"current"` // the one that the caller's own session belongs to
}

// Message is a message of a space, as an agent reads it.
type Message struct {
	ID     string `json:"id"`
	Author string `json:"author"`
	Text   string `json:"text"`
	At     int64  `json:"at"` // milliseconds since 1970
	RunID  string `json:"runId,omitempty"`
}

// Page is a piece of a space's messages, the oldest first.
type Page struct {
	Messages []Message `json:"messages"`
	Before   string    `json:"before,omitempty"` // the cursor of what is older, "" if there is nothing
}

// Run is a run of the caller's agent.
type Run struct {
	ID        string       `json:"id"`
	SpaceID   string       `json:"spaceId"`
	State     string       `json:"state"`
	StartedAt int64        `json:"startedAt"`         // milliseconds since 1970
	EndedAt   int64        `json:"endedAt,omitempty"` // milliseconds since 1970, 0 while it continues
	Messages  []RunMessage `json:"messages"`          // its composite messages, one for each space
}

// RunMessage is the composite message of a run in one space.
type RunMessage struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"`
}

// HistorySearch is what an agent looks for in earlier conversations.
type HistorySearch struct {
	Query string
	Scope string // "" for the widest that the user allows, ScopeSpace or ScopeFolder
	Limit int
	Next  int64 // of an earlier answer
}

// The scopes of a search.
const (
	ScopeSpace  = "space"
	ScopeFolder = "folder"
)

// History is what was found, the best first.
type History struct {
	Note    string         `json:"note"`  // how the texts are to be read
	Scope   string         `json:"scope"` // what was searched
	Results []HistoryMatch `json:"results"`
	Next    int64          `json:"next,omitempty"` // leads to more, 0 if there is nothing
	More    int            `json:"more,omitempty"` // results that were left out: only a narrower query finds them
}

// HistoryMatch is a text that was found.
type HistoryMatch struct {
	Link    string `json:"link"`
	Space   string `json:"space"` // title
	Folder  string `json:"folder"`
	Author  string `json:"author"`
	Kind    string `json:"kind"`
	Title   string `json:"title,omitempty"` // of a tool call
	Time    string `json:"time"`            // RFC 3339
	Excerpt string `json:"excerpt"`         // what was looked for is between ** and **
}

// Conversation is a part of an earlier conversation.
type Conversation struct {
	Note     string       `json:"note"` // how the texts are to be read
	Space    string       `json:"space"`
	Folder   string       `json:"folder"`
	Messages []LinkedText `json:"messages"`
	Call     []NamedText  `json:"call,omitempty"` // the texts of the tool call that the link leads to, or the text where its message is cut
}

// LinkedText is a message of a conversation.
type LinkedText struct {
	Link   string `json:"link"`
	Author string `json:"author"`
	Time   string `json:"time"` // RFC 3339
	Text   string `json:"text"`
}

// NamedText is a text of a tool call.
type NamedText struct {
	Name string `json:"name"` // title, path, input, output, error
	Text string `json:"text"`
}

// Post is a message that an agent sends to a space.
type Post struct {
	SpaceID string
	Text    string
	Mention string          // the agent whose run it triggers, "" for none
	Wait    bool            // for that agent's reply; without a mention, for any reply in the space
	Input   json.RawMessage // the arguments as the agent sent them
}

// Posted tells what became of a [Post].
type Posted struct {
	MessageID string `json:"messageId"`
	Reply     string `json:"reply,omitempty"`
	From      string `json:"from,omitempty"` // who replied, if anyone could: a member's name, or "the user"
	Note      string `json:"note,omitempty"` // what else the agent is to know
}

// Show is the call of a display tool.
type Show struct {
	Tool    *tools.Definition
	SpaceID string          // "" is silent
	Input   json.RawMessage // what is drawn: without targetSpaceId
	Sent    json.RawMessage // as the agent sent it
	Await   bool            // the user has to answer
	Open    bool            // the call returns at once, and the user can answer for as long as it is shown
}

// Shown tells what became of a [Show].
type Shown struct {
	Call   string          // the call in the caller's own space, "" if there is none
	Answer json.RawMessage // what the user answered
	State  string          // StateShown, …
	// Done fills in the result of a tool that is executed after it is shown, as MCP has it, or why there is none: both for a tool that
	// failed with a result. nil if the host has no use for it. It is called once.
	Done func(result json.RawMessage, err error)
}

// The states of a display after [Host.Show].
const (
	StateShown     = "shown"
	StateAnswered  = "answered"
	StateCancelled = "cancelled"
	StateExpired   = "expired" // nobody can answer it to this call any more; the answer is the agent's next prompt
)

// Permit is a tool that acts, before it does.
type Permit struct {
	Tool  *tools.Definition
	Key   string          // by which the user's rules know it: its name, after the server's name and "/" if it is a server's
	Input json.RawMessage // what it acts upon: without targetSpaceId
	Sent  json.RawMessage // as the agent sent it
	// Command is the program with its arguments, and Dir where it runs, if it runs one.
	Command []string
	Dir     string
	Call    string // see [Shown]
	Again   bool   // the user asks for a call once more that had failed; there may be no run
}

// Host is what the gateway asks for everything that it does not know: spaces, messages and permission. It is safe for
// concurrent use. Its errors are sentences for the agent, [*Error] where they have a code.
type Host interface {
	// Reached tells that a token was used to list the tools (tool is "") or to call one, before that is done. Its error refuses the call.
	Reached(c Caller, tool string) error
	// Spaces lists the spaces that the caller is a member of.
	Spaces(ctx context.Context, c Caller) ([]Space, error)
	// Messages reads at most limit messages of a space, those before a cursor, the newest for "".
	Messages(ctx context.Context, c Caller, spaceID string, limit int, before string) (Page, error)
	// Runs lists the latest runs of the caller's agent, the newest first.
	Runs(ctx context.Context, c Caller) ([]Run, error)
	// SearchHistory searches the conversations that the user allows the caller to search.
	SearchHistory(ctx context.Context, c Caller, s HistorySearch) (History, error)
	// ReadConversation reads the message that a link leads to, and up to around messages before and behind it.
	ReadConversation(ctx context.Context, c Caller, link string, around int) (Conversation, error)
	// Post sends a message. With Wait it blocks until the reply is there or ctx ends.
	Post(ctx context.Context, c Caller, p Post) (Posted, error)
	// Show draws a display and, with Await, blocks until it is answered, cancelled, or ctx ends.
	Show(ctx context.Context, c Caller, s Show) (Shown, error)
	// Arrived reports a call of which the host hears nothing else: it only reads spaces, or its arguments do not fit.
	Arrived(c Caller, tool string, sent json.RawMessage)
	// Retried tells that a call failed for a passing reason and is made once more, before it is.
	Retried(c Caller, tool string, sent json.RawMessage)
	// Permit asks the permission broker whether a tool that acts may run; it blocks while a user is asked. Its error is a
	// sentence for the agent.
	Permit(ctx context.Context, c Caller, p Permit) error
}
