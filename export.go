package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/atomicfile"
	"weft/backend/commandline"
	"weft/backend/export"
	"weft/backend/fault"
	"weft/backend/handover"
	"weft/backend/httpapi"
	"weft/backend/quantity"
	"weft/backend/service"
	"weft/backend/service/exports"
	"weft/backend/store"
	"weft/backend/update"
)

const exportHelp = `weft export SPACE writes a conversation to a file. SPACE is the id or the title of a
space; weft export --list prints both. docs/export.md describes the formats.

`

// exportOptions are the flags of weft export.
type exportOptions struct {
	common
	format, out, from, to      string
	list, branches, noThoughts bool
}

// exporter writes conversations: of Weft's own data folder, or through the Weft that has it open.
type exporter interface {
	list(ctx context.Context) ([]exports.ListedSpace, error)
	// write calls open with a name for the file once it is known that there will be one.
	write(ctx context.Context, req exports.ExportRequest, open func(name string) (io.Writer, error)) (exports.ExportResult, error)
	close(ctx context.Context) error
}

// exportSpaces runs weft export.
func exportSpaces(ctx context.Context, args []string) int {
	o, words, code := exportArgs(args)
	if o == nil {
		return code
	}
	x, err := openExporter(ctx, o)
	if err != nil {
		return complain(err)
	}
	code = exportWith(ctx, x, o, strings.Join(words, " "))
	if err := x.close(context.WithoutCancel(ctx)); err != nil {
		return complain(err)
	}
	return code
}

// exportArgs reads the command line: o is nil where there is nothing to do.
func exportArgs(args []string) (o *exportOptions, words []string, code int) {
	o = &exportOptions{}
	f := o.flags("export")
	f.StringVar(&o.format, "format", "", "`FORMAT`: md, html, json or jsonl (default: that of the file's name, or md)")
	f.StringVar(&o.out, "out", "", "the `FILE` or folder to write to; - is standard output (default: a new file in this folder)")
	f.StringVar(&o.from, "from", "", "id of the first `MESSAGE`")
	f.StringVar(&o.to, "to", "", "id of the last `MESSAGE`")
	f.BoolVar(&o.branches, "branches", false, "export all branches of the conversation")
	f.BoolVar(&o.noThoughts, "no-thoughts", false, "leave out what agents thought")
	f.BoolVar(&o.list, "list", false, "print the spaces that can be exported")
	words, ok, code := parseWords(f, &o.common, args, exportHelp)
	if !ok {
		return nil, nil, code
	}
	if len(words) == 0 && !o.list {
		fmt.Fprintln(stderr(), "weft: name the space to export. weft export --list prints them.")
		return nil, nil, 2
	}
	if o.format == "" {
		o.format = string(export.Markdown)
		if _, ext, ok := strings.Cut(strings.ToLower(o.out[strings.LastIndexAny(o.out, "/\\")+1:]), "."); ok {
			ext = ext[strings.LastIndex(ext, ".")+1:]
			if export.Format(ext).Mime() != "" {
				o.format = ext
			}
		}
	}
	return o, words, 0
}

func exportWith(ctx context.Context, x exporter, o *exportOptions, name string) int {
	list, err := x.list(ctx)
	if err != nil {
		return complain(err)
	}
	if o.list {
		out := bufio.NewWriter(stdout())
		for _, sp := range list {
			fmt.Fprintf(out, "%s  %s  %s\n", sp.ID, time.UnixMilli(sp.LastActivity).Format("2006-01-02 15:04"), plain(sp.Title))
		}
		if err := out.Flush(); err != nil {
			return complain(notPrinted(err))
		}
		return 0
	}
	id, err := findSpace(list, name)
	if err != nil {
		return complain(err)
	}
	req := exports.ExportRequest{Format: o.format, SpaceID: id, From: o.from, To: o.to, Branches: o.branches, Thoughts: !o.noThoughts}
	if o.out == "-" {
		out := &exportOut{to: commandline.Shown(os.Stdout)}
		result, err := x.write(ctx, req, func(string) (io.Writer, error) { return out, nil })
		switch {
		case out.failed != nil: // why the rest was of no use
			return complain(notPrinted(out.failed))
		case err != nil && out.bytes > 0:
			return complain(incomplete(err))
		case err != nil:
			return complain(err)
		}
		tellExport(stderr(), result)
		return 0
	}
	path, result, err := exportFile(ctx, x, req, o.out)
	if err != nil {
		return complain(err)
	}
	fmt.Fprintln(stdout(), plain(path))
	tellExport(stderr(), result)
	return 0
}

// exportOut is standard output. It remembers why that took no more.
type exportOut struct {
	to     io.Writer
	bytes  int
	failed error
}

func (p *exportOut) Write(b []byte) (n int, err error) {
	n, err = p.to.Write(b)
	p.bytes += n
	if err != nil && p.failed == nil {
		p.failed = err
	}
	return n, err
}

// notPrinted says why standard output took no more.
func notPrinted(err error) error {
	if atomicfile.Full(err) {
		return fault.New("disk", "The disk is full. Free some space and try again. What was written so far isn't complete.").Because(err)
	}
	return fault.New("io", "Couldn't write to standard output: {{reason}}. What was written so far isn't complete.", err).Because(err)
}

// incomplete says that an export ended after some of it was printed.
func incomplete(err error) error {
	f := service.Fault(err)
	return fault.New(f.Code, "The export ended too early, so what was written isn't complete. {{reason}}", f).Because(err)
}

// exportFile writes the file whole, or not at all.
func exportFile(ctx context.Context, x exporter, req exports.ExportRequest, out string) (path string, result exports.ExportResult, err error) {
	pipe, sink := io.Pipe()
	named, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		var err error
		result, err = x.write(ctx, req, func(name string) (io.Writer, error) { named <- name; return sink, nil })
		sink.CloseWithError(err)
		ended <- err
	}()
	select {
	case err := <-ended: // before there was a file
		return "", result, err
	case name := <-named:
		path = out
		if path == "" {
			path = "."
		}
		path, err = export.Place(path, name)
	}
	if err == nil {
		err = atomicfile.Stream(path, 0o600, func(w io.Writer) error {
			_, err := io.Copy(w, pipe)
			return err
		})
	}
	_ = pipe.CloseWithError(err)
	if writeErr := <-ended; err == nil {
		err = writeErr
	}
	return path, result, export.Explain(path, err)
}

// findSpace finds a space by its id, its title, or the beginning of either.
func findSpace(list []exports.ListedSpace, name string) (string, error) {
	fits := []func(sp *exports.ListedSpace) bool{
		func(sp *exports.ListedSpace) bool { return sp.ID == name },
		func(sp *exports.ListedSpace) bool { return strings.EqualFold(sp.Title, name) },
		func(sp *exports.ListedSpace) bool {
			return strings.HasPrefix(sp.ID, name) || strings.Contains(strings.ToLower(sp.Title), strings.ToLower(name))
		},
	}
	for _, fit := range fits {
		var found []*exports.ListedSpace
		for i := range list {
			if fit(&list[i]) {
				found = append(found, &list[i])
			}
		}
		switch {
		case len(found) == 1:
			return found[0].ID, nil
		case len(found) > 1:
			text := ""
			for _, sp := range found[:min(len(found), 10)] {
				text += sp.ID + "  " + plain(sp.Title) + "\n"
			}
			return "", fault.New(fault.Invalid, "{{found}} this in their title. Name the id of one.", quantity.Count(len(found), "space has", "spaces have")).With(strings.TrimSpace(text))
		}
	}
	return "", fault.New(fault.NotFound, "No space with the id or title “{{name}}” was found. weft export --list prints them.", plain(name))
}

// tellExport says what is not as the reader of the file may expect.
func tellExport(w io.Writer, r exports.ExportResult) {
	fmt.Fprintf(w, "%s, %s.\n", quantity.Count(int(r.Messages), "message", "messages"), quantity.Bytes(r.Bytes))
	if r.SecretsHidden > 0 {
		fmt.Fprintf(w, "%s replaced by [secret].\n", quantity.Count(int(r.SecretsHidden), "known secret was", "known secrets were"))
	}
	if r.SecretsUnread > 0 {
		fmt.Fprintf(w, "%s couldn't be read and may be in the file. Unlock the keychain and export again.\n", quantity.Count(r.SecretsUnread, "secret", "secrets"))
	}
	if r.Missing > 0 {
		fmt.Fprintf(w, "%s no longer stored.\n", quantity.Count(r.Missing, "attachment or result is", "attachments or results are"))
	}
	if r.Cut > 0 {
		fmt.Fprintf(w, "%s shortened. The formats json and jsonl have everything.\n", quantity.Count(r.Cut, "long text was", "long texts were"))
	}
}

// openExporter opens the data folder. While another Weft has it, that one exports.
func openExporter(ctx context.Context, o *exportOptions) (exporter, error) {
	dir, err := o.dataDir()
	if err != nil {
		return nil, err
	}
	x, closing, err := exports.Open(ctx, exports.Options{DataDir: dir, SettingsPath: o.settings, Log: zerolog.Nop(), TakenBack: update.TakenBack(here())})
	if err == nil {
		return ownExports{x, closing}, nil
	}
	if errors.Is(err, store.ErrInUse) {
		if owner, findErr := handover.Find(dir); findErr == nil {
			return runningExports{owner}, nil
		}
	}
	return nil, err
}

type ownExports struct {
	x       *exports.Exports
	closing func(context.Context) error
}

func (o ownExports) list(ctx context.Context) ([]exports.ListedSpace, error) { return o.x.List(ctx) }

func (o ownExports) close(ctx context.Context) error { return o.closing(ctx) }

func (o ownExports) write(ctx context.Context, req exports.ExportRequest, open func(string) (io.Writer, error)) (exports.ExportResult, error) {
	p, err := o.x.Prepare(ctx, req, nil, nil)
	if err != nil {
		return exports.ExportResult{}, err
	}
	w, err := open(p.Name)
	if err != nil {
		return exports.ExportResult{}, err
	}
	return p.Write(ctx, w)
}

// runningExports is a Weft that has the data folder open.
type runningExports struct{ owner handover.Address }

func (runningExports) close(context.Context) error { return nil }

func (r runningExports) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://weft"+address, nil)
	if err != nil {
		return nil, err
	}
	res, err := r.owner.Do(req)
	if err != nil {
		return nil, fault.New("offline", "The running Weft can't be reached. Close it and try again.").Because(err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	return nil, refused(res)
}

func (r runningExports) list(ctx context.Context) (list []exports.ListedSpace, err error) {
	res, err := r.get(ctx, httpapi.ExportListPath)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return list, json.UnmarshalRead(res.Body, &list)
}

// errEndedEarly says that a running Weft sent only a part of a file.
func errEndedEarly(err error) error {
	return fault.New("io", "The running Weft ended the export too early. Try again.").With(err.Error()).Because(err)
}

func (r runningExports) write(ctx context.Context, req exports.ExportRequest, open func(string) (io.Writer, error)) (out exports.ExportResult, err error) {
	q := url.Values{"format": {req.Format}, "from": {req.From}, "to": {req.To}, "branches": {strconv.FormatBool(req.Branches)}, "thoughts": {strconv.FormatBool(req.Thoughts)}}
	res, err := r.get(ctx, strings.Replace(httpapi.ExportPath, "{id}", url.PathEscape(req.SpaceID), 1)+"?"+q.Encode())
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	w, err := open(httpapi.DownloadName(res.Header))
	if err != nil {
		return out, err
	}
	if _, err := io.Copy(w, res.Body); err != nil {
		return out, errEndedEarly(err)
	}
	if err := json.Unmarshal([]byte(res.Trailer.Get(httpapi.ExportTrailer)), &out); err != nil {
		return out, errEndedEarly(err)
	}
	return out, nil
}
