package interchange

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/agent"
	"weft/backend/api/service/files"
	"weft/backend/api/service/spaces"
	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/files/atomicfile"
	"weft/backend/interchange/flat"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/store"
	stored "weft/backend/store/spaces"
)

// ImportState is the result for a conversation in a file.
type ImportState string

// The states of an imported conversation.
const (
	ImportDone    ImportState = "imported" // with dryRun: would be imported
	ImportKnown   ImportState = "known"    // imported before
	ImportRefused ImportState = "refused"
)

// ImportReport is the result for the conversations in a file.
type ImportReport struct {
	File          string                 `json:"file"`
	DryRun        bool                   `json:"dryRun"`
	Conversations []ImportedConversation `json:"conversations"`
	Imported      int                    `json:"imported"`
	Known         int                    `json:"known"`
	Refused       int                    `json:"refused"`
}

// ImportedConversation is one conversation of a file.
type ImportedConversation struct {
	State    ImportState   `json:"state"`
	Title    string        `json:"title"`
	SpaceID  string        `json:"spaceId"` // "" if there is none
	Line     int           `json:"line"`
	Messages int           `json:"messages"`
	Notes    []string      `json:"notes"`
	Faults   []ImportFault `json:"faults"` // why it was refused
}

// ImportFault is an error at a place in a file.
type ImportFault struct {
	Line    int    `json:"line"`
	Place   string `json:"place"`
	Message string `json:"message"`
}

// Importer makes spaces from conversations in files.
type Importer struct {
	store   *store.Store
	agents  *agent.Registry
	dataDir string
	env     sessionfiles.Env
	changed func(spaceID string)
	busy    func(spaceID string) bool // reports whether an agent works in the space
	close   func(context.Context) error
}

// OpenImporter opens a data folder for imports only, and creates it if it is missing. It fails with the code in_use
// while Weft uses the folder.
func OpenImporter(ctx context.Context, opt Options) (*Importer, error) {
	st, file, err := openFolder(ctx, opt)
	if err != nil {
		return nil, err
	}
	agents := agent.NewRegistry(file, nil)
	if err := agents.Rescan(ctx); err != nil {
		opt.Log.Warn().Err(err).Msg("agents could not be looked for")
	}
	return &Importer{store: st, agents: agents, dataDir: opt.DataDir, env: envOr(opt.Env), changed: func(string) {}, busy: func(string) bool { return false }, close: func(ctx context.Context) error {
		agents.Close()
		file.Close()
		return st.Close(ctx)
	}}, nil
}

// Close releases the data folder.
func (i *Importer) Close(ctx context.Context) error { return i.close(ctx) }

// File makes spaces from the conversations in r, a file with this name: each whole or not at all, and none twice. With
// dryRun it only reports what it would do. New spaces appear at once.
func (s *Imports) File(ctx context.Context, name string, r io.Reader, dryRun bool) (ImportReport, error) {
	s.one.Lock()
	defer s.one.Unlock()
	return s.importer().File(ctx, name, r, dryRun)
}

// File imports the conversations in r like [Imports.File]. After an error, the report has what was imported before it.
func (i *Importer) File(ctx context.Context, name string, r io.Reader, dryRun bool) (ImportReport, error) {
	in := bufio.NewReaderSize(atomicfile.Until(ctx, r), 64<<10)
	if head, _ := in.Peek(4 << 10); flat.IsDocument(head) {
		return i.document(ctx, name, in, dryRun)
	}
	report := ImportReport{File: name, DryRun: dryRun, Conversations: []ImportedConversation{}}
	ext := strings.ToLower(filepath.Ext(name))
	err := flat.Read(in, ext == ".jsonl" || ext == ".ndjson", func(c *flat.Conversation) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := i.conversation(ctx, c, dryRun)
		if err != nil {
			return err
		}
		switch one.State {
		case ImportDone:
			report.Imported++
		case ImportKnown:
			report.Known++
		case ImportRefused:
			report.Refused++
		}
		report.Conversations = append(report.Conversations, one)
		return nil
	})
	return report, err
}

func (i *Importer) conversation(ctx context.Context, c *flat.Conversation, dryRun bool) (ImportedConversation, error) {
	title := c.Title
	if title == "" {
		title = importTitle(c)
	}
	out := ImportedConversation{State: ImportRefused, Title: title, Line: c.Line, Messages: len(c.Messages), Notes: []string{}, Faults: []ImportFault{}}
	out.Notes = append(out.Notes, c.Notes...)
	for _, f := range c.Faults {
		out.Faults = append(out.Faults, ImportFault(f))
	}
	if len(c.Faults) > 0 {
		return out, nil
	}
	key := c.Key()
	if sp, known, err := i.store.ImportedAs(ctx, key); err != nil {
		return out, err
	} else if known {
		out.State, out.SpaceID, out.Title = ImportKnown, sp.ID, sp.Title
		return out, nil
	}
	out.State = ImportDone
	config, note := i.agent(c.Agent)
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	folder, note := existing(c.Folder)
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	if dryRun {
		return out, nil
	}
	id := stored.NewID()
	if folder == "" {
		folder = filepath.Join(i.dataDir, "spaces", id)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return out, fault.New("io", "Couldn't create a folder for the space: {{reason}}", err).Because(err)
		}
	}
	im := store.Import{Key: key, Space: stored.Space{ID: id, Title: title, Folder: folder, AgentID: config.ID, AgentName: config.Name}, Meta: map[string]string{spaces.TitledKey(id): spaces.TitledByPrompt}}
	if c.Title != "" {
		im.Meta[spaces.TitledKey(id)] = spaces.TitledByUser
	}
	for _, m := range c.Fold(flat.As{AgentID: config.ID, AgentName: "Assistant", Now: time.Now().UnixMilli(), NewID: stored.NewID}) {
		im.Messages = append(im.Messages, store.Imported(m))
		if im.Space.CreatedAt == 0 {
			im.Space.CreatedAt = m.At
		}
	}
	sp, fresh, err := i.store.ImportSpace(ctx, im)
	if err != nil || !fresh {
		_ = os.Remove(filepath.Join(i.dataDir, "spaces", id)) // if it was created
	}
	if err != nil {
		return out, err
	}
	if !fresh {
		out.State = ImportKnown
	}
	out.SpaceID = sp.ID
	i.changed(sp.ID)
	return out, nil
}

// agent returns the agent that continues a conversation, by its id or name.
func (i *Importer) agent(name string) (c agent.Config, note string) {
	for _, c := range i.agents.Agents() {
		if name != "" && (strings.EqualFold(c.ID, name) || strings.EqualFold(c.Name, name)) {
			return c, ""
		}
	}
	c = i.agents.Default()
	if name != "" {
		note = fault.Text("The agent “{{name}}” isn't available. {{other}} continues the conversation.", name, c.Name)
	}
	return c, note
}

// existing returns a folder if it exists.
func existing(folder string) (path, note string) {
	if folder == "" {
		return "", ""
	}
	path, err := files.ResolveFolder(folder)
	if err != nil {
		return "", "The folder " + clip.Line(folder, 200) + " wasn't found. The space uses an empty folder."
	}
	return path, ""
}

// importTitle returns the title for a conversation without one: the user's first text.
func importTitle(c *flat.Conversation) string {
	for _, role := range []transcript.Role{transcript.RoleUser, transcript.RoleAgent} {
		for _, m := range c.Messages {
			for _, p := range m.Parts {
				if title := clip.Line(p.Text, 80); m.Role == role && title != "" {
					return title
				}
			}
		}
	}
	return ""
}
