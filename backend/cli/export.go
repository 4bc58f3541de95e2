package cli

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
	"github.com/spf13/cobra"

	"weft/backend/api/httpapi"
	"weft/backend/api/service"
	"weft/backend/api/service/interchange"
	"weft/backend/base/commandline"
	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/desktop/handover"
	"weft/backend/desktop/update"
	"weft/backend/files/atomicfile"
	"weft/backend/interchange/export"
	"weft/backend/store"
)

// exportOptions are the flags of weft export.
type exportOptions struct {
	Common
	format, out, from, to      string
	list, branches, noThoughts bool
}

// exporter exports conversations, from the data folder or through the Weft that has it open.
type exporter interface {
	list(ctx context.Context) ([]interchange.ListedSpace, error)
	// write calls open with a file name once it is certain that there will be a file.
	write(ctx context.Context, req interchange.ExportRequest, open func(name string) (io.Writer, error)) (interchange.ExportResult, error)
	close(ctx context.Context) error
}

func exportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use: "export [SPACE | --list]", Short: "Write a conversation to a file, as Markdown, HTML or JSON", ValidArgsFunction: cobra.NoFileCompletions,
		Long: `Writes a conversation to a file. SPACE is the id or the title of a space; weft export --list
prints both. docs/export.md describes the formats.`,
		RunE: does(func(ctx context.Context, words []string) int { return exportSpaces(ctx, &o, words) }),
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "`FORMAT`: md, html, json or jsonl (default: that of the file's name, or md)")
	f.StringVar(&o.out, "out", "", "the `FILE` or folder to write to; - is standard output (default: a new file in this folder)")
	f.StringVar(&o.from, "from", "", "id of the first `MESSAGE`")
	f.StringVar(&o.to, "to", "", "id of the last `MESSAGE`")
	f.BoolVar(&o.branches, "branches", false, "export all branches of the conversation")
	f.BoolVar(&o.noThoughts, "no-thoughts", false, "leave out what agents thought")
	f.BoolVar(&o.list, "list", false, "print the spaces that can be exported")
	values(cmd, "format", "md", "html", "json", "jsonl")
	values(cmd, "from")
	values(cmd, "to")
	return cmd
}

// exportSpaces runs weft export.
func exportSpaces(ctx context.Context, o *exportOptions, words []string) int {
	if len(words) == 0 && !o.list {
		fmt.Fprintln(Stderr(), "weft: name the space to export. weft export --list prints them.")
		return 2
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
	x, err := openExporter(ctx, o)
	if err != nil {
		return Complain(err)
	}
	code := exportWith(ctx, x, o, strings.Join(words, " "))
	if err := x.close(context.WithoutCancel(ctx)); err != nil {
		return Complain(err)
	}
	return code
}

func exportWith(ctx context.Context, x exporter, o *exportOptions, name string) int {
	list, err := x.list(ctx)
	if err != nil {
		return Complain(err)
	}
	if o.list {
		out := bufio.NewWriter(stdout())
		for _, sp := range list {
			fmt.Fprintf(out, "%s  %s  %s\n", sp.ID, time.UnixMilli(sp.LastActivity).Format("2006-01-02 15:04"), plain(sp.Title))
		}
		if err := out.Flush(); err != nil {
			return Complain(notPrinted(err))
		}
		return 0
	}
	id, err := findSpace(list, name)
	if err != nil {
		return Complain(err)
	}
	req := interchange.ExportRequest{Format: o.format, SpaceID: id, From: o.from, To: o.to, Branches: o.branches, Thoughts: !o.noThoughts}
	if o.out == "-" {
		out := &exportOut{to: commandline.Shown(os.Stdout)}
		result, err := x.write(ctx, req, func(string) (io.Writer, error) { return out, nil })
		switch {
		case out.failed != nil: // the cause of the failed export
			return Complain(notPrinted(out.failed))
		case err != nil && out.bytes > 0:
			return Complain(incomplete(err))
		case err != nil:
			return Complain(err)
		}
		tellExport(Stderr(), result)
		return 0
	}
	path, result, err := exportFile(ctx, x, req, o.out)
	if err != nil {
		return Complain(err)
	}
	fmt.Fprintln(stdout(), plain(path))
	tellExport(Stderr(), result)
	return 0
}

// exportOut is standard output. It keeps the error of a failed write.
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

// notPrinted returns the error for a failed write to standard output.
func notPrinted(err error) error {
	if atomicfile.Full(err) {
		return fault.New("disk", "The disk is full. Free some space and try again. What was written so far isn't complete.").Because(err)
	}
	return fault.New("io", "Couldn't write to standard output: {{reason}}. What was written so far isn't complete.", err).Because(err)
}

// incomplete returns the error for an export that failed after part of it was printed.
func incomplete(err error) error {
	f := service.Fault(err)
	return fault.New(f.Code, "The export ended too early, so what was written isn't complete. {{reason}}", f).Because(err)
}

// exportFile writes the file completely, or not at all.
func exportFile(ctx context.Context, x exporter, req interchange.ExportRequest, out string) (path string, result interchange.ExportResult, err error) {
	pipe, sink := io.Pipe()
	named, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		var err error
		result, err = x.write(ctx, req, func(name string) (io.Writer, error) { named <- name; return sink, nil })
		sink.CloseWithError(err)
		ended <- err
	}()
	select {
	case err := <-ended: // it failed before there was a file
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

// findSpace finds a space by its id, its title, or a prefix of either.
func findSpace(list []interchange.ListedSpace, name string) (string, error) {
	fits := []func(sp *interchange.ListedSpace) bool{
		func(sp *interchange.ListedSpace) bool { return sp.ID == name },
		func(sp *interchange.ListedSpace) bool { return strings.EqualFold(sp.Title, name) },
		func(sp *interchange.ListedSpace) bool {
			return strings.HasPrefix(sp.ID, name) || strings.Contains(strings.ToLower(sp.Title), strings.ToLower(name))
		},
	}
	for _, fit := range fits {
		var found []*interchange.ListedSpace
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

// tellExport prints a summary of an export, with anything that the user may not expect.
func tellExport(w io.Writer, r interchange.ExportResult) {
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

// openExporter opens the data folder. If another Weft has it open, that one exports.
func openExporter(ctx context.Context, o *exportOptions) (exporter, error) {
	dir, err := o.DataDir()
	if err != nil {
		return nil, err
	}
	x, closing, err := interchange.OpenExports(ctx, interchange.Options{DataDir: dir, SettingsPath: o.Settings, Log: zerolog.Nop(), TakenBack: update.TakenBack(here())})
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
	x       *interchange.Exports
	closing func(context.Context) error
}

func (o ownExports) list(ctx context.Context) ([]interchange.ListedSpace, error) {
	return o.x.List(ctx)
}

func (o ownExports) close(ctx context.Context) error { return o.closing(ctx) }

func (o ownExports) write(ctx context.Context, req interchange.ExportRequest, open func(string) (io.Writer, error)) (interchange.ExportResult, error) {
	p, err := o.x.Prepare(ctx, req, nil, nil)
	if err != nil {
		return interchange.ExportResult{}, err
	}
	w, err := open(p.Name)
	if err != nil {
		return interchange.ExportResult{}, err
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

func (r runningExports) list(ctx context.Context) (list []interchange.ListedSpace, err error) {
	res, err := r.get(ctx, httpapi.ExportListPath)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return list, json.UnmarshalRead(res.Body, &list)
}

// errEndedEarly returns the error for a running Weft that sent only part of a file.
func errEndedEarly(err error) error {
	return fault.New("io", "The running Weft ended the export too early. Try again.").With(err.Error()).Because(err)
}

func (r runningExports) write(ctx context.Context, req interchange.ExportRequest, open func(string) (io.Writer, error)) (out interchange.ExportResult, err error) {
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
