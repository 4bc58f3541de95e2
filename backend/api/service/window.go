package service

import (
	"context"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/files"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/ref"
	"weft/backend/base/command"
	"weft/backend/desktop"
)

// Window implements the commands that only the window has.
type Window struct {
	// Watch sends a space's events after a position to the window. An empty space id starts the events of the app.
	Watch func(context.Context, conversation.SinceRequest) (none, error)
	// Unwatch ends a Watch.
	Unwatch func(context.Context, ref.SpaceRef) (none, error)
	// Ack reports how many of the sent bytes the page has processed. At most 256 KB are in flight.
	Ack func(context.Context, AckRequest) (none, error)
	// PickFolder shows the desktop's folder dialog. The path is empty if the user chose none.
	PickFolder func(context.Context, files.FolderRequest) (PickedPath, error)
	// SavePermissionHistory asks for a file and writes decisions to it. The path is empty if the user chose none.
	SavePermissionHistory func(context.Context, SaveHistoryRequest) (PickedPath, error)
	// SaveExport asks for a file and writes an export to it. The path is empty if the user chose none.
	SaveExport func(context.Context, SaveExportRequest) (interchange.ExportResult, error)
	// ShowFile shows an exported file in the desktop's file manager.
	ShowFile func(context.Context, FileRef) (none, error)
	// OpenLink opens a web or mail address outside Weft.
	OpenLink func(context.Context, LinkRequest) (none, error)
	// Notify shows a desktop notification, without known secrets. A click on it brings the window to the front and
	// shows the request, or the space.
	Notify func(context.Context, NotifyRequest) (none, error)
	// Background returns what happens when the window closes, and whether Weft starts at login.
	Background func(context.Context, none) (Background, error)
	// SaveBackground changes the settings that Background returns, and reads the system's state again.
	SaveBackground func(context.Context, SaveBackgroundRequest) (Background, error)
	// SetWords sets the texts that the program shows outside the page: tray menu, dialogs and desktop notifications.
	// Empty ones are English.
	SetWords func(context.Context, desktop.Words) (none, error)
	// CloseWindow says what happens after the event `closing`: Weft quits, continues in the background, or keeps its
	// window. Without the event it quits at once, even if agents are working.
	CloseWindow func(context.Context, CloseWindowRequest) (none, error)
}

type (
	// AckRequest is a number of bytes.
	AckRequest struct {
		Bytes int `json:"bytes"`
	}
	// PickedPath is a file or folder chosen by the user, or empty.
	PickedPath struct {
		Path string `json:"path"`
	}
	// SaveHistoryRequest selects decisions and the file's format.
	SaveHistoryRequest struct {
		permissions.HistoryRequest
		Format string `json:"format" enum:"jsonl,csv"`
	}
	// SaveExportRequest says what to export. The id identifies the export in its progress and for CancelExport.
	SaveExportRequest struct {
		interchange.ExportRequest
		ID string `json:"id"`
	}
	// FileRef is the path of a file.
	FileRef struct {
		Path string `json:"path"`
	}
	// LinkRequest has an address.
	LinkRequest struct {
		URL string `json:"url"`
	}
	// NotifyRequest is a notification about a space or a request in it. An urgent one stays until the user has seen it.
	NotifyRequest struct {
		Title     string `json:"title"`
		Body      string `json:"body"`
		SpaceID   string `json:"spaceId"`
		RequestID string `json:"requestId"`
		Urgent    bool   `json:"urgent"`
	}
	// Background is Weft's behavior without a window.
	Background struct {
		WhenClosed string `json:"whenClosed" enum:"quit,background"` // quit, background
		// AtLogin says whether Weft starts at login; LoginError is why that is unknown, or "".
		AtLogin    bool   `json:"atLogin"`
		LoginError string `json:"loginError"`
		// Tray says whether the desktop shows Weft's tray icon while it has no window.
		Tray bool `json:"tray"`
	}
	// SaveBackgroundRequest changes Weft's behavior without a window. Null fields stay unchanged.
	SaveBackgroundRequest struct {
		WhenClosed *string `json:"whenClosed"`
		AtLogin    *bool   `json:"atLogin"`
	}
	// CloseWindowRequest says what Weft does when its window closes.
	CloseWindowRequest struct {
		How string `json:"how" enum:"quit,background,stay"`
	}
)

// WindowCommands returns the commands that w implements.
func WindowCommands(w Window) command.Group {
	const owner = "weft/backend/api/service.Window"
	return command.Group{Title: "The window", Commands: []command.Command{
		command.Named(owner, "Watch", w.Watch), command.Named(owner, "Unwatch", w.Unwatch), command.Named(owner, "Ack", w.Ack),
		command.Named(owner, "PickFolder", w.PickFolder), command.Named(owner, "SavePermissionHistory", w.SavePermissionHistory),
		command.Named(owner, "SaveExport", w.SaveExport), command.Named(owner, "ShowFile", w.ShowFile),
		command.Named(owner, "OpenLink", w.OpenLink), command.Named(owner, "Notify", w.Notify),
		command.Named(owner, "Background", w.Background), command.Named(owner, "SaveBackground", w.SaveBackground), command.Named(owner, "SetWords", w.SetWords),
		command.Named(owner, "CloseWindow", w.CloseWindow),
	}}
}
