package gateway

import (
	"context"
	"encoding/json"

	"weft/backend/gateway/tools"
)

// Caller is the session that a token belongs to.
type Caller struct{ SpaceID, MemberID, AgentID string }

// Space is a space in which the caller is a member.
type Space struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Folder  string   `json:"folder"`
	You     string   `json:"you"`     // the caller's name there
	Members []string `json:"members"` // names of the other agents, which can be mentioned
	Current bool     `json:"current"` // the space of the caller's session
}

// Message is a message of a space, in the form for agents.
type Message struct {
	ID     string `json:"id"`
	Author string `json:"author"`
	Text   string `json:"text"`
	At     int64  `json:"at"` // milliseconds since 1970
	RunID  string `json:"runId,omitempty"`
}

// Page is a page of a space's messages, oldest first.
type Page struct {
	Messages []Message `json:"messages"`
	Before   string    `json:"before,omitempty"` // cursor for older messages, "" if there are none
}

// Run is a run of the caller's agent.
type Run struct {
	ID        string       `json:"id"`
	SpaceID   string       `json:"spaceId"`
	State     string       `json:"state"`
	StartedAt int64        `json:"startedAt"`         // milliseconds since 1970
	EndedAt   int64        `json:"endedAt,omitempty"` // milliseconds since 1970, 0 while it is in progress
	Messages  []RunMessage `json:"messages"`          // one for each space
}

// RunMessage is the message of a run in one space.
type RunMessage struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"`
}

// HistorySearch is a search in earlier conversations.
type HistorySearch struct {
	Query string
	Scope string // ScopeSpace, ScopeFolder, or "" for the widest scope that the user allows
	Limit int
	Next  int64 // History.Next of the previous page
}

// The scopes of a search.
const (
	ScopeSpace  = "space"
	ScopeFolder = "folder"
)

// History is the result of a search, best matches first.
type History struct {
	Note    string         `json:"note"`  // how the texts are to be read
	Scope   string         `json:"scope"` // what was searched
	Results []HistoryMatch `json:"results"`
	Next    int64          `json:"next,omitempty"` // cursor for more results, 0 if there are none
	More    int            `json:"more,omitempty"` // number of omitted results, which need a narrower query
}

// HistoryMatch is a search result.
type HistoryMatch struct {
	Link    string `json:"link"`
	Space   string `json:"space"` // title
	Folder  string `json:"folder"`
	Author  string `json:"author"`
	Kind    string `json:"kind"`
	Title   string `json:"title,omitempty"` // of a tool call
	Time    string `json:"time"`            // RFC 3339
	Excerpt string `json:"excerpt"`         // matches are between ** and **
}

// Conversation is a part of an earlier conversation.
type Conversation struct {
	Note     string       `json:"note"` // how the texts are to be read
	Space    string       `json:"space"`
	Folder   string       `json:"folder"`
	Messages []LinkedText `json:"messages"`
	Call     []NamedText  `json:"call,omitempty"` // the texts of the linked tool call, or a linked text whose message is truncated
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
	Mention string          // name of the agent to ask, "" for none
	Wait    bool            // wait for that agent's reply, or without a mention for any reply in the space
	Input   json.RawMessage // the arguments as the agent sent them
}

// Posted is the result of [Host.Post].
type Posted struct {
	MessageID string `json:"messageId"`
	Reply     string `json:"reply,omitempty"`
	From      string `json:"from,omitempty"` // who replied, without a mention: a member's name, or "the user"
	Note      string `json:"note,omitempty"` // additional information for the agent
}

// Show is the call of a display tool.
type Show struct {
	Tool    *tools.Definition
	SpaceID string          // "" if the call isn't shown
	Input   json.RawMessage // the arguments without targetSpaceId
	Sent    json.RawMessage // the arguments as the agent sent them
	Await   bool            // the call waits for the user's answer
	Open    bool            // the call returns at once, and the user can answer as long as it is shown
}

// Shown is the result of [Host.Show].
type Shown struct {
	Call   string          // id of the call in the caller's own space, "" if there is none
	Answer json.RawMessage // the user's answer
	State  string          // StateShown, …
	// Done adds the result of a tool that is executed after it is shown: the MCP result, an error, or both if the tool
	// failed with a result. It must be called once. It is nil if the display needs no result.
	Done func(result json.RawMessage, err error)
}

// The states of a display after [Host.Show].
const (
	StateShown     = "shown"
	StateAnswered  = "answered"
	StateCancelled = "cancelled"
	StateExpired   = "expired" // no answer before the call ended; a later one becomes a prompt for the agent
)

// Permit is a request for permission to run a tool.
type Permit struct {
	Tool  *tools.Definition
	Key   string          // the tool's name in permission rules: NAME, or SERVER/NAME for a tool of an MCP server
	Input json.RawMessage // the arguments without targetSpaceId
	Sent  json.RawMessage // the arguments as the agent sent them
	// Command is the program to run with its arguments, and Dir its working directory, for tools that run one.
	Command []string
	Dir     string
	Call    string // see [Shown]
	Again   bool   // the user repeats a failed call; there may be no run
}

// Host provides spaces, messages and permissions. It must be safe for concurrent use. Its errors are sentences for the
// agent, [*Error] if they have a code.
type Host interface {
	// Reached is called before tools are listed (tool is "") or a tool is called. An error refuses the request.
	Reached(c Caller, tool string) error
	// Spaces returns the spaces in which the caller is a member.
	Spaces(ctx context.Context, c Caller) ([]Space, error)
	// Messages returns at most limit messages of a space: those before a cursor, or the latest if before is "".
	Messages(ctx context.Context, c Caller, spaceID string, limit int, before string) (Page, error)
	// Runs returns the latest runs of the caller's agent, newest first.
	Runs(ctx context.Context, c Caller) ([]Run, error)
	// SearchHistory searches the conversations that the user allows the caller to search.
	SearchHistory(ctx context.Context, c Caller, s HistorySearch) (History, error)
	// ReadConversation returns the message that a link leads to, and up to around messages before and after it.
	ReadConversation(ctx context.Context, c Caller, link string, around int) (Conversation, error)
	// Post sends a message. With Wait it blocks until there is a reply or ctx ends.
	Post(ctx context.Context, c Caller, p Post) (Posted, error)
	// Show shows a display. With Await it blocks until the display is answered or canceled, or ctx ends.
	Show(ctx context.Context, c Caller, s Show) (Shown, error)
	// Arrived reports a call that leads to no other method of the host: it only reads spaces, or its arguments are
	// invalid.
	Arrived(c Caller, tool string, sent json.RawMessage)
	// Retried reports that a call failed for a temporary reason. It is called before the gateway retries the call.
	Retried(c Caller, tool string, sent json.RawMessage)
	// Permit decides whether a tool may run. It blocks while the user is asked. An error means no, and is a sentence for
	// the agent.
	Permit(ctx context.Context, c Caller, p Permit) error
}
