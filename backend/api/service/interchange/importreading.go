package interchange

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/agent"
	"weft/backend/api/service/files"
	"weft/backend/api/service/spaces"
	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/store"
	stored "weft/backend/store/spaces"
)

// batchSize is the approximate number of bytes stored in one transaction. Other writes wait for it.
const batchSize = 2 << 20

// maxSteps is the maximum number of steps stored in one transaction.
const maxSteps = 2048

// maxProblems is the maximum number of problems in a report.
const maxProblems = 200

// ProgramReport is the result for the conversations of a program.
type ProgramReport struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Imported int    `json:"imported"`
	Branches int    `json:"branches"` // imported with them
	Updated  int    `json:"updated"`  // with new messages
	Known    int    `json:"known"`    // without new messages
	Deleted  int    `json:"deleted"`  // whose spaces were deleted
	Empty    int    `json:"empty"`    // without messages
	Refused  int    `json:"refused"`
}

// ImportProblem is a conversation that was not imported, or only in part.
type ImportProblem struct {
	Program string `json:"program"` // its name
	Path    string `json:"path"`
	SpaceID string `json:"spaceId"` // "" if there is none
	Title   string `json:"title"`   // of the space
	Refused bool   `json:"refused"` // false: it was imported, and this is a note about it
	Message string `json:"message"`
}

// ConversationsReport is the result of an import from other programs.
type ConversationsReport struct {
	Programs []ProgramReport `json:"programs"`
	Problems []ImportProblem `json:"problems"`
	More     int             `json:"more"` // problems that are not listed
	Canceled bool            `json:"canceled"`
	DryRun   bool            `json:"dryRun"`
}

// ImportProgress is the progress of an import.
type ImportProgress struct {
	Program string `json:"program"` // name of the current program
	Title   string `json:"title"`   // of the last conversation read
	Read    int    `json:"read"`    // conversations
	Total   int    `json:"total"`
	Bytes   int64  `json:"bytes"`
	Of      int64  `json:"of"` // bytes
}

// Conversations imports conversations from the files of programs. Each is imported once; later imports add only new
// messages. With dryRun it only reports what it would do. It blocks until the end. When ctx ends it stops, and keeps
// what was imported until then. progress is called from time to time and may be nil.
func (i *Importer) Conversations(ctx context.Context, filter ConversationsFilter, dryRun bool, progress func(ImportProgress)) (report ConversationsReport, err error) {
	report = ConversationsReport{Programs: []ProgramReport{}, Problems: []ImportProblem{}, DryRun: dryRun}
	filter, programs, err := filter.check()
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, closePrograms(programs)) }()
	own, err := i.ownSessions(ctx)
	if err != nil {
		return report, err
	}
	r := &programImport{
		importer: i, filter: filter, dryRun: dryRun, report: &report, own: own, folders: map[string]string{}, ownFolders: map[string]string{}, files: map[[2]string]string{}, now: time.Now().UnixMilli(),
		tell: progress,
	}
	r.batch = newBatches(i.store.Importing(), i.changed)
	err = r.programs(ctx, programs)
	if stop := r.batch.close(); err == nil {
		err = stop
	}
	if abandoned := r.batch.importing.Abandon(context.WithoutCancel(ctx)); err == nil {
		err = abandoned
	}
	r.tidy(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		report.Canceled, err = true, nil
	}
	return report, err
}

// programImport is an import from programs in progress.
type programImport struct {
	importer *Importer
	filter   ConversationsFilter
	dryRun   bool
	report   *ConversationsReport
	own      map[string]bool   // sessions of Weft's own spaces
	folders  map[string]string // paths on disk, "" for missing ones
	// ownFolders are folders created for spaces, by space id.
	ownFolders map[string]string
	// files are the files from which conversations were read, by program and id.
	files    map[[2]string]string
	now      int64
	batch    *batches
	progress ImportProgress
	tell     func(ImportProgress)
	told     time.Time
}

// queued is a conversation to read.
type queued struct {
	program int
	sessionfiles.Source
}

func (r *programImport) programs(ctx context.Context, programs []sessionfiles.Program) error {
	var queue []queued
	for n, p := range programs {
		r.report.Programs = append(r.report.Programs, ProgramReport{ID: p.ID(), Name: p.Name()})
		files, err := r.importer.store.ImportedFiles(ctx, p.ID())
		if err != nil {
			return err
		}
		counts := &r.report.Programs[n]
		for src, err := range p.Find(ctx, r.importer.env) {
			if err != nil {
				r.problem(p, ImportProblem{Path: src.Path, Refused: true, Message: err.Error()})
				continue
			}
			was, read := files[src.Path]
			switch {
			case src.Parent != "", r.filter.Since > src.Changed, src.Folder != "" && !r.filter.takes(src.Folder):
			case r.own[src.Session]:
				counts.Known++
			case read && was.Size == src.Size && was.Changed == src.Changed && !r.filter.Deleted:
				r.files[[2]string{p.ID(), was.Session}] = src.Path
				counts.Known++
			default:
				queue = append(queue, queued{n, src})
				r.progress.Of += src.Size
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	// Newest first: users look for those if the import is stopped.
	slices.SortStableFunc(queue, func(a, b queued) int { return cmp.Compare(b.Changed, a.Changed) })
	r.progress.Total = len(queue)
	for n := range queue {
		if err := ctx.Err(); err != nil {
			return err
		}
		q := &queue[n]
		r.progress.Program = programs[q.program].Name()
		r.reportProgress(false)
		if err := r.one(ctx, programs[q.program], &r.report.Programs[q.program], q.Source); err != nil {
			return err
		}
		r.progress.Read++
		r.progress.Bytes += q.Size
		q.Source = sessionfiles.Source{}
	}
	r.reportProgress(true)
	return nil
}

// reportProgress reports the progress, at most four times a second.
func (r *programImport) reportProgress(last bool) {
	if r.tell == nil || !last && time.Since(r.told) < 250*time.Millisecond {
		return
	}
	r.told = time.Now()
	r.tell(r.progress)
}

func (r *programImport) problem(p sessionfiles.Program, problem ImportProblem) {
	problem.Program = p.Name()
	if problem.Refused {
		for i := range r.report.Programs {
			if r.report.Programs[i].ID == p.ID() {
				r.report.Programs[i].Refused++
			}
		}
	}
	if len(r.report.Problems) >= maxProblems {
		r.report.More++
		return
	}
	r.report.Problems = append(r.report.Problems, problem)
}

// one reads one conversation. It returns only errors of the store and of ctx.
func (r *programImport) one(ctx context.Context, p sessionfiles.Program, counts *ProgramReport, src sessionfiles.Source) error {
	config, its := r.importer.agentOf(p.ID())
	c := &conversation{programImport: r, program: p, src: src, config: config, its: its, made: map[string]string{}}
	if src.Session != "" {
		if err := c.look(ctx, src.Session); err != nil {
			return err
		}
	}
	c.ctx = ctx
	w := sessionfiles.NewWriter(c, p.ID(), transcript.Author{Kind: "agent", ID: config.ID, Name: p.Name()}, r.now, c.knownPaths())
	w.Undated(src.Changed)
	err := p.Read(ctx, src, w)
	var problem *sessionfiles.FileError
	switch {
	case c.failed != nil:
		return c.failed
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sessionfiles.ErrSkip):
		if c.unwanted {
			return nil
		}
		if c.skipped != nil {
			*c.skipped(counts)++
		}
		return c.done()
	case errors.Is(err, sessionfiles.ErrRewritten) && c.other != "":
		r.problem(p, ImportProblem{Path: src.Path, SpaceID: c.space, Title: c.title, Message: fault.Text("This file has another version of the conversation in {{path}}, which was imported. It was left out.", c.other)})
		counts.Known++
		return c.done()
	case errors.Is(err, sessionfiles.ErrRewritten):
		r.problem(p, ImportProblem{Path: src.Path, SpaceID: c.space, Title: c.title, Refused: true, Message: fault.Text("Earlier messages of this conversation have changed since it was imported. Delete its space to import it again.")})
		return nil
	case errors.As(err, &problem):
		r.problem(p, ImportProblem{Path: src.Path, SpaceID: c.space, Title: c.title, Refused: true, Message: problem.Message})
		return nil
	case err != nil:
		return err
	}
	counts.Branches += c.branches
	switch {
	case c.added > 0:
		counts.Imported++
	case c.updated > 0, c.branches > 0:
		counts.Updated++
	case len(c.known) > 0:
		counts.Known++
	case w.Lost():
		r.problem(p, ImportProblem{Path: src.Path, Refused: true, Message: fault.Text("No messages could be read. {{notes}}", strings.Join(w.Notes(), " "))})
		return nil
	default:
		counts.Empty++
	}
	notes := w.Notes()
	if c.elsewhere {
		notes = append(notes, fault.Text("It has new messages, but was continued in Weft. They weren't added."))
	}
	if c.busy {
		notes = append(notes, fault.Text("It has new messages, but an agent is working in its space. Import it again later."))
	}
	for _, note := range notes {
		r.problem(p, ImportProblem{Path: src.Path, SpaceID: c.space, Title: c.title, Message: note})
	}
	if c.busy {
		return nil
	}
	return c.done()
}

// agentOf returns the agent that continues conversations of a program. its reports whether it is the program's own
// agent.
func (i *Importer) agentOf(program string) (c agent.Config, its bool) {
	for _, c := range i.agents.Agents() {
		if c.ID == program {
			return c, true
		}
	}
	return i.agents.Default(), false
}

// conversation is the sink for one conversation.
type conversation struct {
	*programImport
	outcome
	ctx     context.Context //nolint:containedctx // lives for one call
	program sessionfiles.Program
	src     sessionfiles.Source
	config  agent.Config
	its     bool   // config is the program's own agent
	session string // the id of the conversation
	looked  bool   // known is loaded
	known   []store.ImportedSpace
	made    map[string]string // spaces by the keys of their paths
	titles  map[string]bool   // of its spaces
	folder  string            // of the first space
	cur     conversationPath
}

// outcome is the result for a conversation.
type outcome struct {
	space, title   string // of the first space
	other          string // another file of the same import with this conversation
	added, updated int    // spaces
	branches       int
	elsewhere      bool // it has new messages, but was continued in Weft
	busy           bool // the same, and an agent is working in its space
	unwanted       bool // excluded by the filter
	skipped        func(*ProgramReport) *int
	failed         error // of the store
}

// conversationPath is the current path through the conversation.
type conversationPath struct {
	sessionfiles.Path
	id       string               // of its space
	existing *store.ImportedSpace // nil for a new space
	ignored  bool                 // its pieces are not wanted
	begun    bool                 // its space was started
	grew     bool
}

// look loads the spaces made from the conversation.
func (c *conversation) look(ctx context.Context, session string) (err error) {
	c.session, c.looked = session, true
	key := [2]string{c.program.ID(), session}
	if c.other = c.files[key]; c.other == "" {
		c.files[key] = c.src.Path
	} else if err := c.batch.flush(ctx); err != nil { // its spaces may not be stored yet
		return c.fail(err)
	}
	c.known, err = c.importer.store.ImportedSpaces(ctx, c.program.ID(), session)
	if err == nil && c.filter.Deleted && !slices.ContainsFunc(c.known, func(sp store.ImportedSpace) bool { return !sp.Deleted }) {
		c.known = nil
	}
	return err
}

func (c *conversation) knownPaths() []sessionfiles.Known {
	var list []sessionfiles.Known
	for _, sp := range c.known {
		list = append(list, sessionfiles.Known{Key: sp.Path, Entries: sp.Entries, Sum: sp.Sum})
	}
	return list
}

// fail records an error of the store, which ends the import.
func (c *conversation) fail(err error) error {
	c.failed = err
	return err
}

func (c *conversation) skip(count func(*ProgramReport) *int) error {
	c.skipped = count
	return sessionfiles.ErrSkip
}

// Begin implements [sessionfiles.Sink].
func (c *conversation) Begin(p sessionfiles.Path) (*sessionfiles.Known, error) {
	p.Session = cmp.Or(p.Session, c.src.Session, c.src.Path)
	if !c.looked {
		if err := c.look(c.ctx, p.Session); err != nil {
			return nil, c.fail(err)
		}
	}
	if !p.Branch {
		switch {
		case c.own[p.Session], c.other != "" && c.dryRun:
			return nil, c.skip(func(r *ProgramReport) *int { return &r.Known })
		case !c.filter.takes(p.Folder):
			c.unwanted = true
			return nil, sessionfiles.ErrSkip
		case len(c.known) > 0 && !slices.ContainsFunc(c.known, func(sp store.ImportedSpace) bool { return !sp.Deleted }):
			return nil, c.skip(func(r *ProgramReport) *int { return &r.Deleted })
		}
	}
	c.cur = conversationPath{Path: p}
	for i := range c.known {
		if sp := &c.known[i]; sp.Path == p.Was && (p.Was != "" || p.Key == "") {
			c.cur.existing, c.cur.id = sp, sp.SpaceID
			c.cur.ignored = sp.Deleted
			c.made[p.Key] = sp.SpaceID
			if c.space == "" {
				c.space = sp.SpaceID
			}
			return &sessionfiles.Known{Key: sp.Path, Entries: sp.Entries, Sum: sp.Sum}, nil
		}
	}
	c.cur.id = stored.NewID()
	c.made[p.Key] = c.cur.id
	return nil, nil
}

// Add implements [sessionfiles.Sink].
func (c *conversation) Add(p sessionfiles.Piece) error {
	switch {
	case c.cur.ignored:
		return nil
	case c.cur.existing != nil:
		return c.appendPiece(p)
	case !c.cur.begun:
		c.cur.begun = true
		if c.dryRun {
			return nil
		}
		if err := c.begin(p.At); err != nil {
			return c.fail(err)
		}
	case c.dryRun:
		return nil
	}
	return c.put(store.ImportPiece{SpaceID: c.cur.id, Imported: store.Imported{ID: p.MessageID, At: p.At, Output: p.Output}}, p.Size)
}

func (c *conversation) put(step store.ImportStep, size int) error {
	if err := c.batch.add(c.ctx, step, size); err != nil {
		return c.fail(err)
	}
	return nil
}

// appendPiece adds to an existing space, unless the space has diverged since.
func (c *conversation) appendPiece(p sessionfiles.Piece) error {
	sp := c.cur.existing
	if sp.Now != sp.Messages {
		// If Weft continued the conversation with its agent, the file has that part too.
		last, ok, err := c.importer.store.Sessions.Last(c.ctx, sp.SpaceID, transcript.MainMember, c.config.ID)
		if err != nil {
			return c.fail(err)
		}
		c.elsewhere, c.cur.ignored = c.elsewhere || !ok || last.SessionID != c.session, true
		return nil
	}
	if !c.cur.grew && c.importer.busy(sp.SpaceID) {
		c.busy, c.cur.ignored = true, true
		return nil
	}
	c.cur.grew = true
	if c.dryRun {
		return nil
	}
	if err := c.importer.store.AppendImported(c.ctx, store.ImportPiece{SpaceID: sp.SpaceID, Imported: store.Imported{ID: p.MessageID, At: p.At, Output: p.Output}}); err != nil {
		return c.fail(err)
	}
	return nil
}

// begin creates the space of a new path.
func (c *conversation) begin(at int64) error {
	folder, err := c.existingFolder(c.cur.Folder, c.cur.id)
	if err != nil {
		return err
	}
	c.folder = folder
	sp := stored.Space{
		ID: c.cur.id, Folder: folder, AgentID: c.config.ID, AgentName: c.config.Name, ImportedFrom: c.program.ID(),
		CreatedAt: at, LastActivity: at,
	}
	step := store.ImportBegin{Space: sp}
	if c.cur.Branch {
		step.From = store.Branch{SpaceID: c.made[c.cur.From], MessageID: c.cur.Shared}
	}
	return c.put(step, 1024)
}

// existingFolder returns the folder of the conversation if it exists, or else a new empty folder for the space.
func (c *conversation) existingFolder(folder, id string) (string, error) {
	there, looked := c.folders[folder]
	if !looked {
		if filepath.IsAbs(folder) {
			if path, err := files.ResolveFolder(folder); err == nil {
				there = path
			}
		}
		c.folders[folder] = there
	}
	if there != "" {
		return there, nil
	}
	if c.cur.Branch && c.folder != "" {
		return c.folder, nil
	}
	own := filepath.Join(c.importer.dataDir, "spaces", id)
	if err := os.MkdirAll(own, 0o700); err != nil {
		return "", fault.New("io", "Couldn't create a folder for the space: {{reason}}", err).Because(err)
	}
	c.ownFolders[id] = own
	return own, nil
}

// End implements [sessionfiles.Sink].
func (c *conversation) End(name string, read sessionfiles.Known) error {
	p := &c.cur
	if p.ignored {
		return nil
	}
	record := store.ImportRecord{Program: c.program.ID(), Session: p.Session, Path: read.Key, Entries: read.Entries, Sum: read.Sum}
	end := store.ImportEnd{SpaceID: p.id, Record: record, Meta: map[string]string{}}
	if p.existing != nil {
		if p.grew {
			c.updated++
		}
		if c.dryRun || !p.grew && p.existing.ImportRecord == record {
			return nil
		}
		return c.put(end, 256)
	}
	if !p.begun { // it has no messages
		delete(c.made, p.Key)
		return nil
	}
	title, by := c.titleOf(name)
	if c.space == "" {
		c.space, c.title = p.id, title
		c.progress.Title = title
	}
	if p.Branch {
		c.branches++
	} else {
		c.added++
	}
	if c.dryRun {
		c.space = ""
		return nil
	}
	end.Title = title
	end.Meta[spaces.TitledKey(p.id)] = by
	if p.Current && c.its && c.folders[p.Folder] != "" && c.folder == c.folders[p.Folder] && p.Session != c.src.Path {
		end.Session = stored.Session{AgentID: c.config.ID, SessionID: p.Session, Cwd: c.folder}
	}
	return c.put(end, 512)
}

// titleOf returns the title for the space of a new path, and its source. name is the user's first text.
func (c *conversation) titleOf(name string) (title, by string) {
	title = clip.Line(c.cur.Title, 80)
	by = spaces.TitledByAgent
	if title == "" || c.cur.Branch && name != "" {
		title, by = name, spaces.TitledByPrompt
		if c.cur.Branch {
			by = spaces.TitledByBranch
		}
	}
	if title == "" {
		title = c.program.Name()
	}
	if c.titles == nil {
		c.titles = map[string]bool{}
	}
	one := title
	for n := 2; c.titles[title]; n++ {
		title = one + " (" + itoa(n) + ")"
	}
	c.titles[title] = true
	return title, by
}

// done records what was read of the file.
func (c *conversation) done() error {
	if c.dryRun {
		return nil
	}
	return c.put(store.ImportedFile{Program: c.program.ID(), Path: c.src.Path, Session: cmp.Or(c.session, c.src.Session), Size: c.src.Size, Changed: c.src.Changed}, 128)
}

// tidy removes folders that were created for spaces that don't exist.
func (r *programImport) tidy(ctx context.Context) {
	for id, folder := range r.ownFolders {
		if _, err := r.importer.store.Spaces.Get(ctx, id); store.CodeOf(err) == store.CodeNotFound {
			_ = os.Remove(folder)
		}
	}
}
