package spaces

import (
	"weft/backend/space/requests"
)

// SpaceState is the state of a space in the sidebar.
type SpaceState string

// The states of a space.
const (
	SpaceIdle    SpaceState = "idle"
	SpaceRunning SpaceState = "running"
	SpaceWaiting SpaceState = "waiting" // for the user
	SpaceFailed  SpaceState = "failed"  // the last run failed
)

// Space is a space in the sidebar.
type Space struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	Folder       string     `json:"folder"`   // absolute
	NoFolder     bool       `json:"noFolder"` // Weft made the folder for the space
	AgentID      string     `json:"agentId"`
	AgentName    string     `json:"agentName"`
	State        SpaceState `json:"state"`
	Archived     bool       `json:"archived"`
	CreatedAt    int64      `json:"createdAt"`
	LastActivity int64      `json:"lastActivity"`
	// Unseen is set if a run has ended since the user last viewed the space.
	Unseen bool `json:"unseen"`
	// Waits are the requests that wait for the user, oldest first, at most 20.
	Waits       []requests.Wait `json:"waits"`
	Worktree    *SpaceWorktree  `json:"worktree"`                               // null: its folder isn't in a worktree made by Weft
	Permissions string          `json:"permissions" enum:"ask,rules,read-only"` // how permission requests are decided: ask, rules, read-only
	// TreeID is equal for all spaces of a tree of branches: the id of the root, which may be deleted. ParentID is the
	// space from which this one branched, or "".
	Members  []Member `json:"members"` // in the order in which they joined; one of them is the default
	TreeID   string   `json:"treeId"`
	ParentID string   `json:"parentId"`
	// Project is the top folder of the git repository in which the space works, the same for all worktrees, or else the
	// folder. It is "" without a folder of the user.
	Project string `json:"project"`
	// MadeBy is the creator of the space.
	MadeBy string   `json:"madeBy" enum:"user,agent,schedule,import"`
	Tags   []string `json:"tags"`  // ids
	Draft  bool     `json:"draft"` // it has unsent text
	// ImportedFrom is the name of the program from which the space was imported, or "".
	ImportedFrom string `json:"importedFrom"`
}

// CreateSpaceRequest creates a space. Empty fields take the defaults.
type CreateSpaceRequest struct {
	AgentID string `json:"agentId"`
	Folder  string `json:"folder"`
	// NoFolder makes a new empty folder for the space.
	NoFolder bool   `json:"noFolder,omitzero"`
	Title    string `json:"title"`
	// Worktree makes a git worktree of the folder's repository for the space; null: it works in the folder itself.
	Worktree *WorktreeRequest `json:"worktree,omitzero"`
	// Members are the members; the first is the default member. If empty, AgentID is the only member.
	Members []MemberInput `json:"members,omitzero"`
	// Words name the branch if neither a branch name nor a title is set.
	Words string `json:"words,omitzero"`
	// MadeBy is the creator. Spaces by agents and schedules are listed separately. "": the user.
	MadeBy string `json:"madeBy,omitzero" enum:",user,agent,schedule,import"`
}

// UpdateSpaceRequest changes the fields that are not null.
type UpdateSpaceRequest struct {
	SpaceID  string  `json:"spaceId"`
	Title    *string `json:"title,omitzero"`
	Archived *bool   `json:"archived,omitzero"`
	AgentID  *string `json:"agentId,omitzero"` // only while the space has no messages by an agent
	Folder   *string `json:"folder,omitzero"`  // likewise
	// Permissions says how permission requests are decided: ask, rules or read-only.
	Permissions *string `json:"permissions,omitzero" enum:"ask,rules,read-only"`
	// Keep moves a space made by an agent or a schedule to those of the user.
	Keep bool `json:"keep,omitzero"`
}

// ListSpacesRequest asks for spaces, last activity first.
type ListSpacesRequest struct {
	Archived bool   `json:"archived"`
	Query    string `json:"query"` // words in the title
	// Until excludes spaces with activity after a time, in unix ms; 0: none. Limit is the maximum number of
	// spaces; 0: all.
	Until int64 `json:"until,omitzero"`
	Limit int   `json:"limit,omitzero"`
}

// DeleteSpaceRequest deletes a space.
type DeleteSpaceRequest struct {
	SpaceID string `json:"spaceId"`
	AtAgent bool   `json:"atAgent,omitzero"` // the agent also deletes its copy
}

// DeletedSpace says what could not be deleted.
type DeletedSpace struct {
	Left string `json:"left"` // a sentence; empty if everything was deleted
}

// AgentCopies says what agents have stored of a space and would delete.
type AgentCopies struct {
	AgentName string `json:"agentName"`
	Sessions  int    `json:"sessions"` // 0 if the agent can't delete
}

// AddMemberRequest adds an agent to a space.
type AddMemberRequest struct {
	SpaceID string `json:"spaceId"`
	MemberInput
}

// UpdateMemberRequest changes the fields that are not null. Default can be set, but not removed.
type UpdateMemberRequest struct {
	SpaceID  string  `json:"spaceId"`
	MemberID string  `json:"memberId"`
	Name     *string `json:"name,omitzero"`
	Role     *string `json:"role,omitzero"`
	Speaks   *string `json:"speaks,omitzero" enum:"direct,tool"`
	Reads    *string `json:"reads,omitzero" enum:"all,joined"`
	Default  bool    `json:"default,omitzero"`
}
