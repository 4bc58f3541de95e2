package service

import (
	"weft/backend/follow"
	"weft/backend/service/agents"
	"weft/backend/service/appearance"
	"weft/backend/service/drafts"
	"weft/backend/service/exports"
	"weft/backend/service/imports"
	"weft/backend/service/installs"
	"weft/backend/service/news"
	"weft/backend/service/order"
	"weft/backend/service/problems"
	"weft/backend/service/spaces"
	"weft/backend/service/transcripts"
)

// AppEvent is what concerns all spaces.
type AppEvent = news.Event

// The events of the app. One without fields says that what its command returns has changed.
type (
	// SpaceEvent reports a space that is new or has changed.
	SpaceEvent struct {
		Space spaces.Space `json:"space"`
	}
	// SpaceRemovedEvent tells that a space is gone.
	SpaceRemovedEvent struct {
		SpaceID string `json:"spaceId"`
	}
	// AgentsEvent has the whole list of agents.
	AgentsEvent struct {
		Agents []agents.Agent `json:"agents"`
	}
	// AppearanceEvent tells how the window looks now.
	AppearanceEvent struct {
		Appearance appearance.Appearance `json:"appearance"`
	}
	// ToolCallsEvent tells how calls are drawn now, as the command ToolCalls returns it.
	ToolCallsEvent struct {
		ToolCalls appearance.ToolCalls `json:"toolCalls"`
	}
	// PermissionRulesEvent tells that the rules about permissions have changed: read PermissionRules again.
	PermissionRulesEvent struct{}
	// MCPServersEvent tells that the settings have changed, or what is wrong with a server: read MCPServers and Secrets again.
	MCPServersEvent struct{}
	// RegistryEvent tells that the list of agents to install, or what is installed of it, has changed: read Registry again.
	RegistryEvent struct{}
	// InstallsEvent has the installations in progress, and those that have ended and were not dismissed.
	InstallsEvent struct {
		Installs []installs.Install `json:"installs"`
	}
	// PlaceEvent tells that the agent is at this place of a file now; there is at most one in a frame.
	PlaceEvent struct {
		SpaceID string       `json:"spaceId"`
		Place   follow.Place `json:"place"`
	}
	// ChangesEvent has the number of files that wait for a review in a space now: read ReviewChanges.
	ChangesEvent struct {
		SpaceID string `json:"spaceId"`
		Files   int    `json:"files"`
	}
	// SpaceOrderEvent has how the list of spaces is ordered now.
	SpaceOrderEvent struct {
		Order order.SpaceOrder `json:"order"`
	}
	// DraftEvent tells that a draft has changed: whoever shows it reads Draft.
	DraftEvent drafts.DraftChange
	// ProblemsEvent has everything that is wrong with the app itself, the whole list.
	ProblemsEvent struct {
		Problems []problems.Problem `json:"problems"`
	}
	// ExportEvent tells how far an export to a file is.
	ExportEvent struct {
		Export exports.Progress `json:"export"`
	}
	// ImportsEvent tells how far an import of conversations of other programs is, or how it has ended.
	ImportsEvent struct {
		Import imports.ImportJob `json:"import"`
	}
	// BackupsEvent tells that there are other backups, or that one begins or ends: whoever shows them reads them again.
	BackupsEvent struct{}
	// UpdatesEvent tells that what is known about updates has changed: whoever shows it reads Updates again.
	UpdatesEvent struct{}
	// ShowEvent asks the window to show a space, or a place or a request in it, for instance because a notice of the desktop was clicked.
	// With a folder it asks for a new space in it.
	ShowEvent struct {
		SpaceID   string             `json:"spaceId"`
		Place     *transcripts.Place `json:"place,omitzero"`
		RequestID string             `json:"requestId,omitempty"`
		Folder    string             `json:"folder,omitempty"`
	}
	// ClosingEvent asks the user what becomes of the agents that work, before the window closes: see CloseWindow.
	ClosingEvent struct {
		Working int `json:"working"`
	}
)

// AppEvent implements [news.Event] with the type of the event on the wire.
func (SpaceEvent) AppEvent() string           { return "space" }
func (SpaceRemovedEvent) AppEvent() string    { return "space_removed" }
func (AgentsEvent) AppEvent() string          { return "agents" }
func (AppearanceEvent) AppEvent() string      { return "appearance" }
func (ToolCallsEvent) AppEvent() string       { return "tool_calls" }
func (PermissionRulesEvent) AppEvent() string { return "permission_rules" }
func (MCPServersEvent) AppEvent() string      { return "mcp_servers" }
func (RegistryEvent) AppEvent() string        { return "registry" }
func (InstallsEvent) AppEvent() string        { return "installs" }
func (PlaceEvent) AppEvent() string           { return "place" }
func (ChangesEvent) AppEvent() string         { return "changes" }
func (SpaceOrderEvent) AppEvent() string      { return "space_order" }
func (DraftEvent) AppEvent() string           { return "draft" }
func (ExportEvent) AppEvent() string          { return "export" }
func (ProblemsEvent) AppEvent() string        { return "problems" }
func (ImportsEvent) AppEvent() string         { return "imports" }
func (BackupsEvent) AppEvent() string         { return "backups" }
func (UpdatesEvent) AppEvent() string         { return "updates" }
func (ShowEvent) AppEvent() string            { return "show" }
func (ClosingEvent) AppEvent() string         { return "closing" }

// AppEvents returns an empty event of each type.
func AppEvents() []AppEvent {
	return []AppEvent{
		SpaceEvent{},
		SpaceRemovedEvent{},
		AgentsEvent{},
		AppearanceEvent{},
		ToolCallsEvent{},
		PermissionRulesEvent{},
		MCPServersEvent{},
		RegistryEvent{},
		InstallsEvent{},
		PlaceEvent{},
		ExportEvent{},
		ChangesEvent{},
		SpaceOrderEvent{},
		DraftEvent{},
		ProblemsEvent{},
		ImportsEvent{},
		BackupsEvent{},
		UpdatesEvent{},
		ShowEvent{},
		ClosingEvent{},
	}
}
