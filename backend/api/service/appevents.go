package service

import (
	"weft/backend/api/service/agents"
	"weft/backend/api/service/app"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/follow"
)

// AppEvent is an event that concerns all spaces.
type AppEvent = app.Event

// The events of the app. An event without fields says that the result of its command has changed.
type (
	// SpaceEvent reports a new or changed space.
	SpaceEvent struct {
		Space spaces.Space `json:"space"`
	}
	// SpaceRemovedEvent reports that a space is gone.
	SpaceRemovedEvent struct {
		SpaceID string `json:"spaceId"`
	}
	// AgentsEvent has the complete list of agents.
	AgentsEvent struct {
		Agents []agents.Agent `json:"agents"`
	}
	// AppearanceEvent has the current appearance of the window.
	AppearanceEvent struct {
		Appearance app.Appearance `json:"appearance"`
	}
	// ToolCallsEvent says how calls are drawn now, like the result of the command ToolCalls.
	ToolCallsEvent struct {
		ToolCalls app.ToolCalls `json:"toolCalls"`
	}
	// PermissionRulesEvent reports that the permission rules have changed: call PermissionRules again.
	PermissionRulesEvent struct{}
	// MCPServersEvent reports that the settings or the problems of a server have changed: call MCPServers and Secrets
	// again.
	MCPServersEvent struct{}
	// RegistryEvent reports that the list of agents to install, or the installed ones, have changed: call Registry
	// again.
	RegistryEvent struct{}
	// InstallsEvent has the installs in progress, and ended ones that the user has not dismissed.
	InstallsEvent struct {
		Installs []agents.Install `json:"installs"`
	}
	// PlaceEvent reports the file and line where the agent is now, at most once per frame.
	PlaceEvent struct {
		SpaceID string       `json:"spaceId"`
		Place   follow.Place `json:"place"`
	}
	// ChangesEvent has the number of files in a space that need review: call ReviewChanges.
	ChangesEvent struct {
		SpaceID string `json:"spaceId"`
		Files   int    `json:"files"`
	}
	// SpaceOrderEvent has the current order of the list of spaces.
	SpaceOrderEvent struct {
		Order spaces.SpaceOrder `json:"order"`
	}
	// DraftEvent reports that a draft has changed: if you show it, call Draft.
	DraftEvent spaces.DraftChange
	// ProblemsEvent has the complete list of problems of the app itself.
	ProblemsEvent struct {
		Problems []app.Problem `json:"problems"`
	}
	// ExportEvent reports the progress of an export to a file.
	ExportEvent struct {
		Export interchange.ExportProgress `json:"export"`
	}
	// ImportsEvent reports the progress or the end of an import from other programs.
	ImportsEvent struct {
		Import interchange.ImportJob `json:"import"`
	}
	// BackupsEvent reports that the backups have changed, or that one begins or ends: if you show them, call Backups
	// again.
	BackupsEvent struct{}
	// UpdatesEvent reports that the state of updates has changed: if you show it, call Updates again.
	UpdatesEvent struct{}
	// ShowEvent asks the window to show a space, or a place or a request in it, for instance because the user clicked a
	// desktop notification. With a folder it asks for a new space in that folder.
	ShowEvent struct {
		SpaceID   string              `json:"spaceId"`
		Place     *conversation.Place `json:"place,omitzero"`
		RequestID string              `json:"requestId,omitempty"`
		Folder    string              `json:"folder,omitempty"`
	}
	// ClosingEvent asks the user, before the window closes, what happens to the working agents: see CloseWindow.
	ClosingEvent struct {
		Working int `json:"working"`
	}
)

// AppEvent implements [app.Event] with the event's type on the wire.
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
