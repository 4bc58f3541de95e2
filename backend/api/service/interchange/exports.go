package interchange

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"weft/backend/api/service/secrets"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/interchange/export"
	"weft/backend/settings/secret"
	"weft/backend/store"
	"weft/backend/store/file"
	"weft/backend/store/spaces"
)

// ExportRequest selects what to export: a space, a range of its messages, or single messages.
type ExportRequest struct {
	Format   string                 `json:"format" enum:"md,html,json,jsonl"`
	SpaceID  string                 `json:"spaceId"`
	From     string                 `json:"from"`     // the first message; "": the first of the space
	To       string                 `json:"to"`       // the last message; "": the last of the space
	Branches bool                   `json:"branches"` // include all branches of the space's tree
	Thoughts bool                   `json:"thoughts"` // include thoughts
	Places   []export.ChosenMessage `json:"places"`   // single messages, instead of a space
}

// ExportResult describes an exported file.
type ExportResult struct {
	export.Result
	Path          string `json:"path"`          // "" without a file
	Name          string `json:"name"`          // of the file
	SecretsUnread int    `json:"secretsUnread"` // known secrets that couldn't be read and may be in the file
}

// ExportProgress is an export in progress.
type ExportProgress struct {
	ID    string `json:"id"` // chosen by the caller
	Done  int64  `json:"done"`
	Total int64  `json:"total"` // segments
}

// Exports writes exports of conversations.
type Exports struct {
	store   *store.Store
	secrets *secrets.Keeper
	report  func(ExportProgress) // may be nil

	mu      sync.Mutex
	running map[string]context.CancelFunc
	written []string // the last files
}

// NewExports returns exports of a store, without the secrets of keeper. report gets the progress of [Exports.ToFile];
// it may be nil.
func NewExports(st *store.Store, keeper *secrets.Keeper, report func(ExportProgress)) *Exports {
	return &Exports{store: st, secrets: keeper, report: report, running: map[string]context.CancelFunc{}}
}

// PreparedExport is an export that can be written.
type PreparedExport struct {
	*export.Export
	Unread int // as in [ExportResult.SecretsUnread]
}

// Prepare checks a request and returns its export. begun, if not nil, is called with the number of hidden secrets
// before the first byte is written. report may be nil.
func (x *Exports) Prepare(ctx context.Context, req ExportRequest, begun func(secretsHidden int64), report func(done, total int64)) (*PreparedExport, error) {
	unread := x.secrets.ReadAll(ctx)
	e, err := export.Prepare(ctx, export.Options{Store: x.store, Hide: x.secrets.Redactor(), Flush: x.store.Events.Flush, Begun: begun, Report: report}, export.Request{
		Format: export.Format(req.Format), SpaceID: req.SpaceID, From: req.From, To: req.To, Branches: req.Branches, Places: req.Places, NoThoughts: !req.Thoughts,
	})
	if err != nil {
		return nil, err
	}
	return &PreparedExport{e, unread}, nil
}

// Write writes a prepared export to w.
func (p *PreparedExport) Write(ctx context.Context, w io.Writer) (ExportResult, error) {
	result, err := p.Export.Write(ctx, w)
	return ExportResult{Result: result, Name: p.Name, SecretsUnread: p.Unread}, err
}

// ToFile writes a file and reports its progress as id, by which it can be canceled. pick returns the path for a file
// name, or "" for no file.
func (x *Exports) ToFile(ctx context.Context, id string, req ExportRequest, pick func(name string) (string, error)) (ExportResult, error) {
	ctx, done, err := x.begin(ctx, id)
	if err != nil {
		return ExportResult{}, err
	}
	defer done()
	p, err := x.Prepare(ctx, req, nil, func(done, total int64) {
		if x.report != nil && id != "" {
			x.report(ExportProgress{ID: id, Done: done, Total: total})
		}
	})
	if err != nil {
		return ExportResult{}, err
	}
	path, err := pick(p.Name)
	if err != nil || path == "" {
		return ExportResult{}, err
	}
	path, result, err := p.File(ctx, path)
	if err != nil {
		return ExportResult{}, err
	}
	x.mu.Lock()
	x.written = append(x.written[max(0, len(x.written)-maxWritten):], path)
	x.mu.Unlock()
	return ExportResult{Result: result, Path: path, Name: p.Name, SecretsUnread: p.Unread}, nil
}

// maxWritten is how many written files are remembered.
const maxWritten = 100

// Wrote reports whether the file at path was written since the start.
func (x *Exports) Wrote(path string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Contains(x.written, path)
}

func (x *Exports) begin(ctx context.Context, id string) (context.Context, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	if id == "" {
		return ctx, cancel, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.running[id] != nil {
		cancel()
		return nil, nil, fault.New(fault.Busy, "This export is already running.")
	}
	x.running[id] = cancel
	return ctx, func() {
		cancel()
		x.mu.Lock()
		delete(x.running, id)
		x.mu.Unlock()
	}, nil
}

// ExportRef names an export in progress.
type ExportRef struct {
	ID string `json:"id"`
}

// CancelExport cancels an export in progress and leaves no file.
func (x *Exports) CancelExport(_ context.Context, req ExportRef) (command.None, error) {
	x.mu.Lock()
	cancel := x.running[req.ID]
	x.mu.Unlock()
	if cancel == nil {
		return command.None{}, fault.New(fault.NotFound, "The export has already ended.")
	}
	cancel()
	return command.None{}, nil
}

// ExportedText is an export as a text.
type ExportedText struct {
	ExportResult
	Text string `json:"text"`
}

// maxExportText is the maximum size of an export as text, in bytes.
const maxExportText = 8 << 20

// ExportText returns an export as text, for the clipboard. It refuses one of more than 8 MB.
func (x *Exports) ExportText(ctx context.Context, req ExportRequest) (ExportedText, error) {
	p, err := x.Prepare(ctx, req, nil, nil)
	if err != nil {
		return ExportedText{}, err
	}
	out := &boundedText{}
	result, err := p.Write(ctx, out)
	if errors.Is(err, errTextTooLarge) {
		return ExportedText{}, fault.New("too_large", "The text is larger than 8 MB. Export it to a file.")
	}
	if err != nil {
		return ExportedText{}, err
	}
	return ExportedText{ExportResult: result, Text: out.String()}, nil
}

var errTextTooLarge = errors.New("too large")

type boundedText struct{ bytes.Buffer }

func (b *boundedText) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExportText {
		return 0, errTextTooLarge
	}
	return b.Buffer.Write(p)
}

// ListedSpace is a space that can be exported.
type ListedSpace struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	Folder       string `json:"folder"`
	Archived     bool   `json:"archived"`
	LastActivity int64  `json:"lastActivity"` // unix ms
}

// List returns the spaces that can be exported, last activity first.
func (x *Exports) List(ctx context.Context) ([]ListedSpace, error) {
	list := []ListedSpace{}
	for _, archived := range []bool{false, true} {
		found, err := x.store.Spaces.List(ctx, spaces.Filter{Archived: archived})
		if err != nil {
			return nil, err
		}
		for i := range found {
			sp := &found[i]
			list = append(list, ListedSpace{ID: sp.ID, Title: sp.Title, Folder: sp.Folder, Archived: sp.Archived, LastActivity: sp.LastActivity})
		}
	}
	slices.SortStableFunc(list, func(a, b ListedSpace) int { return int(min(max(b.LastActivity-a.LastActivity, -1), 1)) })
	return list, nil
}

// OpenExports opens a data folder for exports only. It fails with the code in_use while Weft uses the folder, and with
// not_found if the folder has no database. closing releases the folder.
func OpenExports(ctx context.Context, opt Options) (x *Exports, closing func(context.Context) error, err error) {
	if err := file.Exists(opt.DataDir); err != nil {
		return nil, nil, err
	}
	st, conf, err := openFolder(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	hide := &secret.Redactor{}
	secret.Withhold(hide)
	vault := secret.Open(secret.Options{Dir: opt.DataDir, Redactor: hide})
	keeper := secrets.New(secrets.Options{
		Settings: conf, Secrets: vault, Meta: st.Meta, Log: opt.Log,
		Read: func(ctx context.Context, ref string) (string, error) { return vault.Get(ctx, secret.Ref(ref)) },
	})
	x = NewExports(st, keeper, nil)
	return x, func(ctx context.Context) error {
		conf.Close()
		return st.Close(ctx)
	}, nil
}
