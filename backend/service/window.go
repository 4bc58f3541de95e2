package service

import (
	"context"

	"weft/backend/command"
	"weft/backend/service/exports"
	"weft/backend/service/files"
	"weft/backend/service/ref"
	"weft/backend/service/rules"
	"weft/backend/service/transcripts"
)

// Window carries out the commands that only the window has.
type Window struct {
	// Watch tells the window a space's events after a place. An empty space id starts the events of the app.
	Watch func(context.Context, transcripts.SinceRequest) (none, error)
	// Unwatch ends what Watch has started.
	Unwatch func(context.Context, ref.SpaceRef) (none, error)
	// Ack says how much of what was sent the page has handled: not more than 256 KB are under way.
	Ack func(context.Context, AckRequest) (none, error)
	// PickFolder asks for a folder in a dialog of the desktop. The path is empty where none was chosen.
	PickFolder func(context.Context, files.FolderRequest) (PickedPath, error)
	// SavePermissionHistory asks for a file and writes decisions into it. The path is empty where none was chosen.
	SavePermissionHistory func(context.Context, SaveHistoryRequest) (PickedPath, error)
	// SaveExport asks for a file and exports into it. The path is empty where none was chosen.
	SaveExport func(context.Context, SaveExportRequest) (exports.ExportResult, error)
	// ShowFile shows a file that was exported in the desktop's file manager.
	ShowFile func(context.Context, FileRef) (none, error)
	// OpenLink opens a web or mail address outside of Weft.
	OpenLink func(context.Context, LinkRequest) (none, error)
	// Notify shows a notice of the desktop, without known secrets. A click on it brings the window to the front and shows the request, or the space.
	Notify func(context.Context, NotifyRequest) (none, error)
	// Background returns what happens when the window is closed, and whether Weft starts with the system.
	Background func(context.Context, none) (Background, error)
	// SaveBackground changes what Background returns. The state of the system is read again.
	SaveBackground func(context.Context, SaveBackgroundRequest) (Background, error)
	// SetWords says in which words the program shows what is outside of the page: the icon's menu, dialogs and notifications of the desktop. Empty
	// ones are English.
	SetWords func(context.Context, Words) (none, error)
	// CloseWindow says what happens after the event `closing`: Weft quits, continues in the background, or keeps its window. Without the event it
	// quits at once, even if agents are working.
	CloseWindow func(context.Context, CloseWindowRequest) (none, error)
}

type (
	// AckRequest is a number of bytes.
	AckRequest struct {
		Bytes int `json:"bytes"`
	}
	// PickedPath is a file or folder that the user has chosen, or empty.
	PickedPath struct {
		Path string `json:"path"`
	}
	// SaveHistoryRequest selects decisions and names the form of the file.
	SaveHistoryRequest struct {
		rules.HistoryRequest
		Format string `json:"format" enum:"jsonl,csv"`
	}
	// SaveExportRequest says what is exported. The id names the export in its progress, and where it is canceled.
	SaveExportRequest struct {
		exports.ExportRequest
		ID string `json:"id"`
	}
	// FileRef is the path of a file.
	FileRef struct {
		Path string `json:"path"`
	}
	// LinkRequest is an address.
	LinkRequest struct {
		URL string `json:"url"`
	}
	// NotifyRequest is a notice about a space, or a request in it. An urgent one stays until the user has seen it.
	NotifyRequest struct {
		Title     string `json:"title"`
		Body      string `json:"body"`
		SpaceID   string `json:"spaceId"`
		RequestID string `json:"requestId"`
		Urgent    bool   `json:"urgent"`
	}
	// Background is what Weft does without its window.
	Background struct {
		WhenClosed string `json:"whenClosed" enum:"quit,background"` // quit, background
		// AtLogin says that the system starts Weft; LoginError why that isn't known, "" if it is.
		AtLogin    bool   `json:"atLogin"`
		LoginError string `json:"loginError"`
		// Tray says that the desktop shows an icon of Weft while it has no window.
		Tray bool `json:"tray"`
	}
	// SaveBackgroundRequest changes what Weft does without its window. What is null stays.
	SaveBackgroundRequest struct {
		WhenClosed *string `json:"whenClosed"`
		AtLogin    *bool   `json:"atLogin"`
	}
	// Words are what the window's program shows outside of its page, in the language of the page.
	Words struct {
		ShowWindow string `json:"showWindow"` // an entry of the icon's menu
		QuitWeft   string `json:"quitWeft"`   // another one, and the title of the question
		// Background is a notification, BackgroundNote its text.
		Background     string `json:"background"`
		BackgroundNote string `json:"backgroundNote"`
		// Titles of dialogs.
		ChooseFolder       string `json:"chooseFolder"`
		SaveHistory        string `json:"saveHistory"`
		ExportConversation string `json:"exportConversation"`
		// StopAgents is a question, which may be answered with Quit and Cancel, or with the system's own words for yes and no.
		StopAgents string `json:"stopAgents"`
		Quit       string `json:"quit"`
		Cancel     string `json:"cancel"`
		Open       string `json:"open"` // a folder
		Save       string `json:"save"` // a file
		Show       string `json:"show"` // what a notification is about
	}
	// CloseWindowRequest says what becomes of Weft when its window is closed.
	CloseWindowRequest struct {
		How string `json:"how" enum:"quit,background,stay"`
	}
)

// All returns each of the words.
func (w *Words) All() []*string {
	return []*string{
		&w.ShowWindow, &w.QuitWeft, &w.Background, &w.BackgroundNote, &w.ChooseFolder, &w.SaveHistory, &w.ExportConversation,
		&w.StopAgents, &w.Quit, &w.Cancel, &w.Open, &w.Save, &w.Show,
	}
}

// WindowCommands are the commands that w carries out.
func WindowCommands(w Window) command.Group {
	const owner = "weft/backend/service.Window"
	return command.Group{Title: "The window", Commands: []command.Command{
		command.Named(owner, "Watch", w.Watch), command.Named(owner, "Unwatch", w.Unwatch), command.Named(owner, "Ack", w.Ack),
		command.Named(owner, "PickFolder", w.PickFolder), command.Named(owner, "SavePermissionHistory", w.SavePermissionHistory),
		command.Named(owner, "SaveExport", w.SaveExport), command.Named(owner, "ShowFile", w.ShowFile),
		command.Named(owner, "OpenLink", w.OpenLink), command.Named(owner, "Notify", w.Notify),
		command.Named(owner, "Background", w.Background), command.Named(owner, "SaveBackground", w.SaveBackground), command.Named(owner, "SetWords", w.SetWords),
		command.Named(owner, "CloseWindow", w.CloseWindow),
	}}
}
