package service

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/runs"
	"weft/backend/service/agents"
	"weft/backend/service/problems"
	"weft/backend/service/worktrees"
	"weft/backend/store/pages"
)

// The shapes that commands take and answer with, the same over the window's bindings
// and over HTTP. Times are unix milliseconds, lists are never null.

// SpaceState is the mark that a space carries in the sidebar.
type SpaceState string

// The marks of a space.
const (
	SpaceIdle    SpaceState = "idle"
	SpaceRunning SpaceState = "running"
	SpaceWaiting SpaceState = "waiting" // for the person
	SpaceFailed  SpaceState = "failed"  // the last run failed
)

// Space is a space as the sidebar lists it.
type Space struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	Folder       string     `json:"folder"`   // absolute
	NoFolder     bool       `json:"noFolder"` // it is one that Weft has made for the space
	AgentID      string     `json:"agentId"`
	AgentName    string     `json:"agentName"`
	State        SpaceState `json:"state"`
	Archived     bool       `json:"archived"`
	CreatedAt    int64      `json:"createdAt"`
	LastActivity int64      `json:"lastActivity"`
	// Unseen tells that a run has ended, well or not, and the person has not been there since.
	Unseen bool `json:"unseen"`
	// Waits is what waits for the person, oldest first, at most 20.
	Waits       []runs.Wait              `json:"waits"`
	Worktree    *worktrees.SpaceWorktree `json:"worktree"`                               // null: its folder is not in one that Weft has made
	Permissions string                   `json:"permissions" enum:"ask,rules,read-only"` // how permission requests are dealt with: ask, rules, read-only
	// TreeID is the same for all spaces that branched from one: its id, which may be that of a space that is gone. ParentID is
	// the space that this one branched from, "" if it is no branch.
	Members  []Member `json:"members"` // in the order in which they came; one of them is the default
	TreeID   string   `json:"treeId"`
	ParentID string   `json:"parentId"`
}

// Appearance is how the window looks.
type Appearance struct {
	Theme     string `json:"theme" enum:"system,light,dark"`      // system, light, dark
	Density   string `json:"density" enum:"comfortable,compact"`  // comfortable, compact
	TextScale int    `json:"textScale"`                           // percent, 80 to 150
	Thoughts  string `json:"thoughts" enum:"in-place,top,hidden"` // in-place, top, hidden
}

// Bootstrap is all that a frontend needs to draw its first screen.
type Bootstrap struct {
	Version      string             `json:"version"`
	Mode         string             `json:"mode" enum:"window,serve"` // window, serve
	Platform     string             `json:"platform"`
	Home         string             `json:"home"`
	Folder       string             `json:"folder"` // where Weft was started, for the first space; home where that says nothing
	DataDir      string             `json:"dataDir"`
	SettingsPath string             `json:"settingsPath"`
	Spaces       []Space            `json:"spaces"` // not archived, last activity first
	Agents       []agents.Agent     `json:"agents"`
	Appearance   Appearance         `json:"appearance"`
	ToolCalls    ToolCalls          `json:"toolCalls"`
	Problems     []problems.Problem `json:"problems"`
}

// Page is a stretch of a space's transcript.
type Page = pages.Page

// Cursor is a place in a space's transcript.
type Cursor = pages.Cursor

// Snapshot is a space as it stood at Seq: events after Seq continue it.
type Snapshot struct {
	Space Space                     `json:"space"`
	Epoch int64                     `json:"epoch"`
	Seq   int64                     `json:"seq"`
	Page  Page                      `json:"page"`  // the last page
	State map[string]jsontext.Value `json:"state"` // plan, usage, mode, config, commands, queue …
	// Runs are the runs in progress, oldest first; Run is the first of them or null.
	Runs []Run `json:"runs"`
	Run  *Run  `json:"run"`
}

// Run is a turn of an agent that is in progress.
type Run struct {
	ID        string `json:"id"`
	SpaceID   string `json:"spaceId"` // in which it works, if that is another one: it writes here, too
	MessageID string `json:"messageId"`
	AgentID   string `json:"agentId"`
	MemberID  string `json:"memberId"`
	StartedAt int64  `json:"startedAt"`
	Stopping  bool   `json:"stopping"`
}

// Events answers Since: the events after a sequence number, or Reset when they are no
// longer kept one by one and the snapshot has to be taken anew.
type Events struct {
	Epoch  int64            `json:"epoch"`
	Seq    int64            `json:"seq"` // of the last event
	Reset  bool             `json:"reset"`
	Events []jsontext.Value `json:"events"`
}

// ProtocolEntry is one line of an agent's traffic.
type ProtocolEntry struct {
	N    int64  `json:"n"`                                             // counts from 1 within the log
	At   int64  `json:"at"`                                            // ms since the agent's start
	Dir  string `json:"dir" enum:"agent->client,client->agent,stderr"` // "agent->client", "client->agent", "stderr"
	Kind string `json:"kind"`                                          // method, update kind, "response", "stderr", "raw"
	Line string `json:"line"`                                          // at most 64 KiB of it
	Size int64  `json:"size"`                                          // bytes of the whole line
}

// Folder is a directory as the folder chooser of serve mode lists it.
type Folder struct {
	Path    string   `json:"path"`
	Parent  string   `json:"parent"`
	Folders []string `json:"folders"` // names, sorted
}

// The requests. Every command takes at most one of them.
type (
	// StopRunRequest names what is stopped: a run, else a member, else all that works in the space.
	StopRunRequest struct {
		SpaceID  string `json:"spaceId"`
		MemberID string `json:"memberId"`
		RunID    string `json:"runId,omitzero"`
	}
	// CreateSpaceRequest makes a space; empty fields take the defaults.
	CreateSpaceRequest struct {
		AgentID string `json:"agentId"`
		Folder  string `json:"folder"`
		// NoFolder gives it an empty folder of its own instead.
		NoFolder bool   `json:"noFolder,omitzero"`
		Title    string `json:"title"`
		// Worktree makes a git worktree of the folder's repository and puts the space there; null: the folder itself.
		Worktree *worktrees.WorktreeRequest `json:"worktree,omitzero"`
		// Members are who is there; the first is who is asked where nobody is named. Without any it is AgentID alone.
		Members []MemberInput `json:"members,omitzero"`
		// Words are what a branch is named after where neither it nor the title is given.
		Words string `json:"words,omitzero"`
	}
	// UpdateSpaceRequest changes the fields that are not null.
	UpdateSpaceRequest struct {
		SpaceID  string  `json:"spaceId"`
		Title    *string `json:"title,omitzero"`
		Archived *bool   `json:"archived,omitzero"`
		AgentID  *string `json:"agentId,omitzero"` // only while the space has no messages of an agent
		Folder   *string `json:"folder,omitzero"`  // likewise
		// Permissions is how permission requests are dealt with: ask, rules or read-only.
		Permissions *string `json:"permissions,omitzero" enum:"ask,rules,read-only"`
	}
	// ListSpacesRequest asks for spaces, last activity first.
	ListSpacesRequest struct {
		Archived bool   `json:"archived"`
		Query    string `json:"query"` // words that the title must have
	}
	// PageRequest asks for segments before (or after) a place.
	PageRequest struct {
		SpaceID string  `json:"spaceId"`
		Before  *Cursor `json:"before,omitzero"`
		After   *Cursor `json:"after,omitzero"`
		Limit   int     `json:"limit"` // segments, 1 to 500
	}
	// SinceRequest asks for what came after Seq.
	SinceRequest struct {
		SpaceID string `json:"spaceId"`
		Epoch   int64  `json:"epoch"`
		Seq     int64  `json:"seq"`
	}
	// GroupItemsRequest asks for items of a tool group.
	GroupItemsRequest struct {
		SpaceID   string `json:"spaceId"`
		MessageID string `json:"messageId"`
		Segment   int    `json:"segment"`
		From      int    `json:"from"`
		To        int    `json:"to"` // exclusive
	}
	// ToolDetailRequest asks for one tool call with input, content and output.
	ToolDetailRequest struct {
		SpaceID   string `json:"spaceId"`
		MessageID string `json:"messageId"`
		Segment   int    `json:"segment"`
		Item      int    `json:"item"`
	}
	// SegmentTextRequest asks for bytes of a long text segment, cut at UTF-8 boundaries.
	SegmentTextRequest struct {
		SpaceID   string `json:"spaceId"`
		MessageID string `json:"messageId"`
		Segment   int    `json:"segment"`
		From      int64  `json:"from"` // byte offset
		To        int64  `json:"to"`   // exclusive; 0 = the end
	}
	// SegmentTextResult is a stretch of a text segment and the byte that it starts at.
	SegmentTextResult struct {
		Text  string `json:"text"`
		Start int64  `json:"start"`
	}
	// SendPromptRequest says something to the space's agent. The text may be empty where
	// something goes along.
	SendPromptRequest struct {
		SpaceID string       `json:"spaceId"`
		Text    string       `json:"text"`
		Parts   []PromptPart `json:"parts,omitzero"`
		To      []string     `json:"to,omitzero"`      // ids of members; empty: a run that waits for any reply there, else the default member
		Answers string       `json:"answers,omitzero"` // the wait for a reply that it answers, by its requestId; it is refused where that has ended
	}
	// SendPromptResult tells what became of it.
	SendPromptResult struct {
		Queued   bool   `json:"queued"`
		PromptID string `json:"promptId"` // of the queue entry or of the message
		Answered string `json:"answered"` // the wait for a reply that it has ended, "" if it is a prompt
	}
	// QueuedPromptRequest changes (or with RemoveQueued removes) a waiting prompt.
	QueuedPromptRequest struct {
		SpaceID  string `json:"spaceId"`
		PromptID string `json:"promptId"`
		Text     string `json:"text"`
	}
	// AnswerPermissionRequest answers a permission request; an empty OptionID declines to answer.
	AnswerPermissionRequest struct {
		SpaceID   string `json:"spaceId"`
		RequestID string `json:"requestId"`
		OptionID  string `json:"optionId"`
	}
	// ProtocolLogRequest asks for the traffic of the agent's last session in a space.
	ProtocolLogRequest struct {
		SpaceID  string `json:"spaceId"`
		MemberID string `json:"memberId"` // "": the default one
		After    int64  `json:"after"`    // entries with N > After; 0 = from the start kept
		Limit    int    `json:"limit"`
		Filter   string `json:"filter"` // a substring of the line
	}
	// FolderRequest asks for the sub-folders of a folder; empty means the home folder.
	FolderRequest struct {
		Path string `json:"path"`
	}
)
