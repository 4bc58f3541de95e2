package spaces

import (
	"weft/backend/pending"
	"weft/backend/service/members"
	"weft/backend/service/worktrees"
)

// SpaceState is the mark that a space carries in the sidebar.
type SpaceState string

// The marks of a space.
const (
	SpaceIdle    SpaceState = "idle"
	SpaceRunning SpaceState = "running"
	SpaceWaiting SpaceState = "waiting" // for the user
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
	// Unseen tells that a run has ended, well or not, and the user has not been there since.
	Unseen bool `json:"unseen"`
	// Waits is what waits for the user, oldest first, at most 20.
	Waits       []pending.Request        `json:"waits"`
	Worktree    *worktrees.SpaceWorktree `json:"worktree"`                               // null: its folder is not in one that Weft has made
	Permissions string                   `json:"permissions" enum:"ask,rules,read-only"` // how permission requests are dealt with: ask, rules, read-only
	// TreeID is the same for all spaces that branched from one: its id, which may be that of a space that is gone. ParentID is
	// the space that this one branched from, "" if it is no branch.
	Members  []members.Member `json:"members"` // in the order in which they came; one of them is the default
	TreeID   string           `json:"treeId"`
	ParentID string           `json:"parentId"`
	// Project is the top folder of the git repository that the space works in, the same for all of its worktrees, or the folder if it
	// is in none. "" where it has no folder of the user.
	Project string `json:"project"`
	// MadeBy is who made the space.
	MadeBy string   `json:"madeBy" enum:"user,agent,schedule,import"`
	Tags   []string `json:"tags"`  // ids
	Draft  bool     `json:"draft"` // something was typed and not sent
	// ImportedFrom is the name of the program that the space was imported from, "" for most.
	ImportedFrom string `json:"importedFrom"`
}

// CreateSpaceRequest makes a space; empty fields take the defaults.
type CreateSpaceRequest struct {
	AgentID string `json:"agentId"`
	Folder  string `json:"folder"`
	// NoFolder gives it an empty folder of its own instead.
	NoFolder bool   `json:"noFolder,omitzero"`
	Title    string `json:"title"`
	// Worktree makes a git worktree of the folder's repository and puts the space there; null: the folder itself.
	Worktree *worktrees.WorktreeRequest `json:"worktree,omitzero"`
	// Members are who is there; the first is who is asked where nobody is named. Without any it is AgentID alone.
	Members []members.MemberInput `json:"members,omitzero"`
	// Words are what a branch is named after where neither it nor the title is given.
	Words string `json:"words,omitzero"`
	// MadeBy is who makes the space: those of agents and schedules are listed apart. "": the user.
	MadeBy string `json:"madeBy,omitzero" enum:",user,agent,schedule,import"`
}

// UpdateSpaceRequest changes the fields that are not null.
type UpdateSpaceRequest struct {
	SpaceID  string  `json:"spaceId"`
	Title    *string `json:"title,omitzero"`
	Archived *bool   `json:"archived,omitzero"`
	AgentID  *string `json:"agentId,omitzero"` // only while the space has no messages of an agent
	Folder   *string `json:"folder,omitzero"`  // likewise
	// Permissions is how permission requests are dealt with: ask, rules or read-only.
	Permissions *string `json:"permissions,omitzero" enum:"ask,rules,read-only"`
	// Keep lists a space that an agent or a schedule has made among those of the user.
	Keep bool `json:"keep,omitzero"`
}

// ListSpacesRequest asks for spaces, last activity first.
type ListSpacesRequest struct {
	Archived bool   `json:"archived"`
	Query    string `json:"query"` // words that the title must have
	// Until leaves out those with activity after a time, in unix ms; 0: none. Limit is how many are returned at most; 0: all.
	Until int64 `json:"until,omitzero"`
	Limit int   `json:"limit,omitzero"`
}

// DeleteSpaceRequest deletes a space.
type DeleteSpaceRequest struct {
	SpaceID string `json:"spaceId"`
	AtAgent bool   `json:"atAgent,omitzero"` // its agent is to delete what it has kept of it, too
}

// DeletedSpace tells what did not work of what the user wanted gone.
type DeletedSpace struct {
	Left string `json:"left"` // a sentence; empty if all is gone
}

// AgentCopies tells what agents have kept of a space and would delete.
type AgentCopies struct {
	AgentName string `json:"agentName"`
	Sessions  int    `json:"sessions"` // 0 where the agent deletes none
}

// AddMemberRequest puts an agent into a space.
type AddMemberRequest struct {
	SpaceID string `json:"spaceId"`
	members.MemberInput
}

// UpdateMemberRequest changes the fields that are not null. Default can only be given, not taken.
type UpdateMemberRequest struct {
	SpaceID  string  `json:"spaceId"`
	MemberID string  `json:"memberId"`
	Name     *string `json:"name,omitzero"`
	Role     *string `json:"role,omitzero"`
	Speaks   *string `json:"speaks,omitzero" enum:"direct,tool"`
	Reads    *string `json:"reads,omitzero" enum:"all,joined"`
	Default  bool    `json:"default,omitzero"`
}
