package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"weft/backend/api/httpapi"
	"weft/backend/api/service"
	"weft/backend/base/clip"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/base/link"
	"weft/backend/base/pathname"
	"weft/backend/desktop/handover"
	"weft/backend/store"
)

func openCommand(window Window) *cobra.Command {
	var c Common
	cmd := &cobra.Command{
		Use: "open LINK|FOLDER", Short: "Show a place in a conversation, or begin a new space in a folder",
		Long: `weft open LINK shows a place in a conversation, such as weft://space/ID#MESSAGE, and
weft open FOLDER begins a new space in a folder, in the Weft that is running, or in its window.
The link alone does the same: weft weft://space/ID.`,
		RunE: does(func(ctx context.Context, words []string) int { return openWhat(ctx, c, words, window) }),
	}
	c.flags(cmd)
	return cmd
}

// openPath opens what the query contains: a link, a folder, or nothing, which brings the window to the front.
const openPath = "/open"

// opened is the response of the running Weft.
type opened struct {
	Address string `json:"address"` // of a page that shows it, "" for the window
}

// Opening is what Weft shows first. The zero value means what it showed last.
type Opening struct {
	place  *link.Place
	folder string // of a new space, absolute
	Behind bool   // without the window, because the system started Weft
}

func (o Opening) Asked() bool { return o.place != nil || o.folder != "" }

// Show shows it in the window and in all open browser pages.
func (o Opening) Show(s *service.Service) {
	switch {
	case o.place != nil:
		s.ShowPlace(*o.place)
	case o.folder != "":
		service.DeskOf(s).ShowFolder(o.folder)
	}
}

func (o Opening) query() url.Values {
	q := url.Values{}
	if o.place != nil {
		q.Set("link", o.place.String())
	}
	if o.folder != "" {
		q.Set("folder", o.folder)
	}
	return q
}

// readOpening parses what the user or the desktop wants to open: a link to Weft, a folder, or the file: address of one.
func readOpening(text string) (Opening, error) {
	folder := text
	switch {
	case strings.TrimSpace(text) == "" || link.Is(text):
		p, err := link.Parse(text)
		return Opening{place: &p}, err
	case isFile(text):
		u, err := url.Parse(text)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return Opening{}, fault.New(fault.Invalid, "This isn't the address of a folder on this machine.")
		}
		folder = filepath.FromSlash(pathname.OfAddress(u.Path))
	case strings.Contains(text, "://"):
		_, err := link.Parse(text)
		return Opening{}, err
	}
	folder, err := existing(folder)
	return Opening{folder: folder}, err
}

// isFile reports whether a text is a file: address, as desktops pass them.
func isFile(text string) bool {
	const scheme = "file:"
	return len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme)
}

// existing returns the absolute path of an existing folder.
func existing(folder string) (string, error) {
	if strings.ContainsRune(folder, 0) || !utf8.ValidString(folder) {
		return "", fault.New(fault.Invalid, "The name of the folder isn't valid.")
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("find the folder: %w", err)
	}
	info, err := os.Stat(abs)
	name := clip.Line(abs, maxSaid)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fault.New("folder_not_found", "There is no folder {{name}}. Check the path.", name)
	case errors.Is(err, os.ErrPermission):
		return "", fault.New("folder_not_found", "You don't have permission to open {{name}}.", name)
	case err != nil:
		return "", fault.New("folder_not_found", "Couldn't open {{name}}.", name).With(err.Error()).Because(err)
	case !info.IsDir():
		return "", fault.New(fault.Invalid, "{{name}} is a file. Enter the folder that it is in.", name)
	}
	return abs, nil
}

// maxSaid is the maximum number of bytes of a path in an error message.
const maxSaid = 300

// openWhat shows a link or a folder in the Weft that has the data folder open, otherwise in a window.
func openWhat(ctx context.Context, c Common, words []string, window Window) int {
	if len(words) > 1 {
		fmt.Fprintf(Stderr(), "weft: unexpected argument %q. weft open takes one link or folder; put quotation marks around a name with spaces.\n", words[1])
		return 2
	}
	what, err := readOpening(strings.Join(words, ""))
	if err != nil {
		Complain(err)
		return 2
	}
	return openThere(ctx, c, what, window)
}

// StartsIn is how long Weft may take from its start until it accepts commands.
const StartsIn = 10 * time.Second

// HandOver makes the running Weft show something. done is false if none accepts commands within wait. The error says
// why nothing is shown; its code is [store.CodeInUse] if that Weft serves browsers and only a window was asked for.
func HandOver(ctx context.Context, c Common, what Opening, wait time.Duration) (done bool, err error) {
	dir, err := c.DataDir()
	if err != nil {
		return true, err
	}
	ctx, cancel := context.WithTimeout(ctx, max(wait, answersIn))
	defer cancel()
	for begun := time.Now(); ; {
		if owner, err := handover.Find(dir); err == nil {
			answer, err := openIn(ctx, owner, what)
			var away *url.Error
			switch {
			case err == nil && answer.Address == "":
				return true, nil
			case err == nil && what.Asked():
				fmt.Fprintf(stdout(), "Shown in the pages of Weft that are open. To open another one: %s\n", answer.Address)
				return true, nil
			case err == nil:
				return true, fault.New(store.CodeInUse, "Weft is already running for a browser, at {{address}}. Open that address, or stop weft serve and start Weft again.", answer.Address)
			case !errors.As(err, &away):
				return true, err
			}
		}
		if time.Since(begun) >= wait || ctx.Err() != nil {
			return false, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// answersIn is the timeout for a response of the running Weft.
const answersIn = 15 * time.Second

// openIn asks the owner of a data folder to show something. The error is a *[url.Error] if it is gone.
func openIn(ctx context.Context, owner handover.Address, what Opening) (out opened, err error) {
	q := what.query()
	if what.Behind { // it only has to be running
		if err := owner.Answers(ctx); err != nil {
			return out, &url.Error{Op: "open", URL: owner.URL, Err: err}
		}
		return out, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://weft"+openPath+"?"+q.Encode(), http.NoBody)
	if err != nil {
		return out, err
	}
	res, err := owner.Do(req)
	if err != nil {
		return out, &url.Error{Op: "open", URL: owner.URL, Err: err}
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return out, json.UnmarshalRead(res.Body, &out)
	}
	return out, refused(res)
}

// refused returns the error in a response of the running Weft.
func refused(res *http.Response) error {
	var told struct {
		Code    string     `json:"code"`
		Message string     `json:"message"`
		Detail  string     `json:"detail"`
		Said    fault.Said `json:"said"`
	}
	if json.UnmarshalRead(res.Body, &told) != nil || told.Message == "" {
		told.Message = "The running Weft answered " + res.Status + ". Close it and try again."
	}
	return fault.Told(told.Code, told.Message, told.Said).With(told.Detail)
}

// Shows has the functions with which Weft shows what a command asks for.
type Shows struct {
	Front   func()                       // brings the window to the front; nil for a server
	Address func(fragment string) string // of a page with a fragment; nil for the window
}

// TakeCommands lets weft import and weft open hand their work over to this Weft. Without it, weft import says that Weft
// must be closed, and weft open doesn't open a second window.
func TakeCommands(s *service.Service, how Shows, log zerolog.Logger) (done func()) {
	mux := http.NewServeMux()
	mux.Handle("POST "+httpapi.ImportPath, httpapi.Imports(s))
	mux.Handle("POST "+httpapi.ConversationsPath, httpapi.Conversations(s))
	mux.Handle("GET "+httpapi.ExportPath, httpapi.Export(s))
	mux.Handle("GET "+httpapi.ExportListPath, httpapi.ExportList(s))
	mux.HandleFunc("POST "+openPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		what, err := wanted(r.Context(), s, r.URL.Query())
		if err != nil {
			f := service.Fault(err)
			w.WriteHeader(http.StatusBadRequest)
			_ = json.MarshalWrite(w, f.Wire(), command.Wire)
			return
		}
		what.Show(s)
		var out opened
		if how.Address != nil {
			out.Address = how.Address(what.fragment())
		}
		if how.Front != nil {
			how.Front()
		}
		_ = json.MarshalWrite(w, out)
	})
	h, err := handover.Open(s.DataDir(), mux)
	if err != nil {
		log.Warn().Err(err).Msg("commands can't hand their work over")
		return func() {}
	}
	return func() {
		if err := h.Close(); err != nil && !errors.Is(err, os.ErrNotExist) {
			log.Warn().Err(err).Msg("what commands have handed over was cut short")
		}
	}
}

// wanted parses what a command handed over. The error says why nothing can be shown.
func wanted(ctx context.Context, s *service.Service, q url.Values) (Opening, error) {
	if folder := q.Get("folder"); folder != "" {
		if !filepath.IsAbs(folder) {
			return Opening{}, fault.New(fault.Invalid, "The path of the folder isn't absolute.")
		}
		folder, err := existing(folder)
		return Opening{folder: folder}, err
	}
	if !q.Has("link") {
		return Opening{}, nil
	}
	p, err := link.Parse(q.Get("link"))
	if err != nil {
		return Opening{}, err
	}
	if _, err := s.Store().Spaces.Get(ctx, p.SpaceID); err != nil {
		return Opening{}, err
	}
	return Opening{place: &p}, nil
}

// fragment returns the fragment of the address of a page that shows it.
func (o Opening) fragment() string {
	switch {
	case o.place != nil:
		return o.place.Fragment()
	case o.folder != "":
		return "#/new/" + url.PathEscape(o.folder)
	}
	return ""
}
