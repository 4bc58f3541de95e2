// Package export writes conversations for people and other programs: as Markdown, as one HTML file that looks like
// Weft, as a JSON document that Weft can import (backend/conversation/archive), and as the events that recreate them.
// It reads a conversation piece by piece and writes each piece before it reads the next, so its memory use doesn't grow
// with the conversation.
//
// Text from agents and users is untrusted: it never becomes markup of a file, and no file loads or runs anything. Known
// secrets are replaced, and the file says how many.
//
// source.go reads messages without secrets, blocks.go decides what is shown of a call, charts.go and draw.go turn
// charts and forms into tables and pictures, guard.go keeps a text in its place; each format has a file.
package export

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"weft/backend/base/fault"
	"weft/backend/settings/secret"
	"weft/backend/store"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
)

// Format is the form of a file.
type Format string

// The formats; each is also the extension of its files.
const (
	Markdown Format = "md"
	HTML     Format = "html"
	JSON     Format = "json"
	Events   Format = "jsonl"
)

// Formats returns all formats.
func Formats() []Format { return []Format{Markdown, HTML, JSON, Events} }

// Mime returns the media type of a format, "" for an unknown one.
func (f Format) Mime() string {
	switch f {
	case Markdown:
		return "text/markdown; charset=utf-8"
	case HTML:
		return "text/html; charset=utf-8"
	case JSON:
		return "application/json"
	case Events:
		return "application/x-ndjson"
	}
	return ""
}

// ChosenMessage is a message of a space.
type ChosenMessage struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"`
}

// Request selects what to export.
type Request struct {
	Format     Format
	SpaceID    string
	From, To   string          // ids of the first and the last message, "": of the space
	Branches   bool            // the space and all spaces of its tree
	Places     []ChosenMessage // export these messages instead of a space
	NoThoughts bool            // leave out the thoughts of agents
}

// Result says what a file has.
type Result struct {
	Spaces        int   `json:"spaces"`
	Messages      int64 `json:"messages"`
	Segments      int64 `json:"segments"`
	Bytes         int64 `json:"bytes"`
	SecretsHidden int64 `json:"secretsHidden"` // how many known secrets were replaced
	Missing       int   `json:"missing"`       // attachments and results that are no longer stored
	Cut           int   `json:"cut"`           // results of which only a part is in the file
}

// Options configures [Prepare].
type Options struct {
	Store  *store.Store
	Hide   *secret.Redactor                    // knows the secrets to replace
	Report func(done, total int64)             // called from time to time with the number of segments written
	Begun  func(secretsHidden int64)           // called before the first byte is written
	Flush  func(context.Context, string) error // completes the rows of a space; nil if they are complete
}

// Export is a prepared export.
type Export struct {
	opt   Options
	req   Request
	parts []part
	total int64 // segments
	// Name is a file name, without a folder.
	Name string
	// Whole is true if the file contains its spaces completely.
	Whole bool
}

// part is a space and the messages of it to export.
type part struct {
	space spaces.Space
	spans []pages.Span
	known int64 // number of its messages that another space of the file has
}

// Prepare resolves a request. Error codes: invalid, not_found, and those of the database.
func Prepare(ctx context.Context, opt Options, req Request) (*Export, error) {
	if req.Format.Mime() == "" {
		return nil, fault.New(fault.Invalid, "The export format must be md, html, json or jsonl.")
	}
	e := &Export{opt: opt, req: req, Whole: req.From == "" && req.To == "" && len(req.Places) == 0}
	var err error
	switch {
	case len(req.Places) > 0:
		err = e.places(ctx)
	case req.SpaceID == "":
		err = fault.New(fault.Invalid, "Choose a conversation to export.")
	case req.Branches && !e.Whole:
		err = fault.New(fault.Invalid, "Export either a range of messages or all branches.")
	case req.Branches:
		err = e.tree(ctx)
	default:
		err = e.add(ctx, req.SpaceID, req.From, req.To)
	}
	if err != nil {
		return nil, err
	}
	for i := range e.parts {
		for _, s := range e.parts[i].spans {
			e.total += s.Segments
		}
	}
	if len(e.parts) == 0 {
		return nil, fault.New(fault.Invalid, "There is nothing to export.")
	}
	e.Name = fileName(opt.Hide.PrintedText(e.parts[0].space.Title)) + "." + string(req.Format)
	return e, nil
}

func (e *Export) add(ctx context.Context, spaceID, from, to string) error {
	if e.opt.Flush != nil {
		if err := e.opt.Flush(ctx, spaceID); err != nil {
			return notStored(err)
		}
	}
	sp, err := e.opt.Store.Spaces.Get(ctx, spaceID)
	if err != nil {
		return err
	}
	span, err := e.opt.Store.Pages.SpanOf(ctx, spaceID, from, to)
	if err != nil {
		return err
	}
	if (from != "" || to != "") && span.Last < span.First {
		return fault.New(fault.Invalid, "The first message of the range comes after the last one.")
	}
	e.parts = append(e.parts, part{space: sp, spans: []pages.Span{span}})
	return nil
}

// notStored returns the error for a conversation whose last events couldn't be stored. Without them, a file would look
// complete.
func notStored(err error) error {
	var f *fault.Error
	if code := fault.CodeOf(err); !errors.As(err, &f) || code == fault.NotFound || code == fault.Cancelled {
		return err
	}
	return fault.New(f.Code, "The last messages couldn't be saved yet, so the conversation can't be exported. {{reason}}", f).Because(err)
}

// tree adds the spaces of a tree, oldest first, so that each comes after the one that it branched from.
func (e *Export) tree(ctx context.Context) error {
	list, err := e.opt.Store.Spaces.Tree(ctx, e.req.SpaceID)
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].DeletedAt > 0 {
			continue
		}
		if err := e.add(ctx, list[i].ID, "", ""); err != nil {
			return err
		}
	}
	for i := range e.parts {
		p := &e.parts[i]
		if slices.ContainsFunc(e.parts, func(o part) bool { return o.space.ID == p.space.Parent }) {
			p.known = p.space.Shared
		}
	}
	return nil
}

// places adds messages, grouped by space, in the order of the conversation.
func (e *Export) places(ctx context.Context) error {
	at := map[string]int{}
	for _, pl := range e.req.Places {
		i, known := at[pl.SpaceID]
		if !known {
			if err := e.add(ctx, pl.SpaceID, pl.MessageID, pl.MessageID); err != nil {
				return err
			}
			at[pl.SpaceID] = len(e.parts) - 1
			continue
		}
		span, err := e.opt.Store.Pages.SpanOf(ctx, pl.SpaceID, pl.MessageID, pl.MessageID)
		if err != nil {
			return err
		}
		e.parts[i].spans = append(e.parts[i].spans, span)
	}
	for i := range e.parts {
		slices.SortFunc(e.parts[i].spans, func(a, b pages.Span) int { return int(a.First - b.First) })
		e.parts[i].spans = slices.CompactFunc(e.parts[i].spans, func(a, b pages.Span) bool { return a.First == b.First })
	}
	return nil
}

// Write writes the file to w. It returns errors of the database, of w or of ctx; the output is then incomplete.
func (e *Export) Write(ctx context.Context, w io.Writer) (Result, error) {
	s := &source{ctx: ctx, e: e, st: e.opt.Store, hide: e.opt.Hide, changed: map[string]*changedBlob{}, was: map[string]string{}}
	if err := s.begin(); err != nil {
		return Result{}, err
	}
	if e.opt.Begun != nil {
		e.opt.Begun(s.result.SecretsHidden)
	}
	out := &counting{w: w}
	buf := bufio.NewWriterSize(out, 256<<10)
	var err error
	switch e.req.Format {
	case Markdown:
		err = writeMarkdown(s, buf)
	case HTML:
		err = writeHTML(s, buf)
	case JSON:
		err = writeJSON(s, buf)
	case Events:
		err = writeEvents(s, buf)
	}
	if err == nil {
		err = buf.Flush()
	}
	if err == nil {
		err = ctx.Err()
	}
	s.result.Bytes, s.result.Spaces = out.n, len(e.parts)
	return s.result, err
}

type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// maxName is the maximum length of a file name without its extension, in bytes.
const maxName = 80

// fileName makes a file name from a title, valid on every system.
func fileName(title string) string {
	var b strings.Builder
	for _, r := range title {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r == 0xfffd || r == 0x2028 || r == 0x2029 || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) && r != 0x200c && r != 0x200d {
			r = ' '
		}
		if b.Len()+len(string(r)) > maxName {
			break
		}
		b.WriteRune(r)
	}
	name := strings.TrimLeft(strings.Trim(strings.Join(strings.Fields(b.String()), " "), ". "), "-~. ") // neither a command-line option nor a home folder
	if name == "" || reserved[strings.ToLower(strings.SplitN(name, ".", 2)[0])] {
		name = strings.TrimSpace("Conversation " + name)
	}
	return name
}

// reserved are names that Windows reserves for devices.
var reserved = map[string]bool{
	"con": true, "prn": true, "aux": true, "nul": true, "com1": true, "com2": true, "com3": true, "com4": true, "com5": true, "com6": true, "com7": true, "com8": true, "com9": true,
	"lpt1": true, "lpt2": true, "lpt3": true, "lpt4": true, "lpt5": true, "lpt6": true, "lpt7": true, "lpt8": true, "lpt9": true,
}

// stamp formats a time for the files.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04") + " UTC" }
