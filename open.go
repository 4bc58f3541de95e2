package main

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

	"weft/backend/clip"
	"weft/backend/command"
	"weft/backend/fault"
	"weft/backend/handover"
	"weft/backend/httpapi"
	"weft/backend/link"
	"weft/backend/pathname"
	"weft/backend/service"
	"weft/backend/store"
)

const openHelp = `weft open LINK shows a place in a conversation, such as weft://space/ID#MESSAGE, and weft open FOLDER
begins a new space in a folder, in the Weft that is running, or in its window. The link alone does the
same: weft weft://space/ID.

`

// openPath takes what is opened in the query: a link, a folder, or nothing to bring the window to the front.
const openPath = "/open"

// opened is what the running Weft answers.
type opened struct {
	Address string `json:"address"` // where a browser shows it, "" for the window
}

// opening is what Weft shows first. The zero value is what was shown last.
type opening struct {
	place  *link.Place
	folder string // of a new space, absolute
	behind bool   // without the window: the system has started it
}

func (o opening) asked() bool { return o.place != nil || o.folder != "" }

// show shows it in the window, and in all pages of a browser.
func (o opening) show(s *service.Service) {
	switch {
	case o.place != nil:
		s.ShowPlace(*o.place)
	case o.folder != "":
		service.DeskOf(s).ShowFolder(o.folder)
	}
}

func (o opening) query() url.Values {
	q := url.Values{}
	if o.place != nil {
		q.Set("link", o.place.String())
	}
	if o.folder != "" {
		q.Set("folder", o.folder)
	}
	return q
}

// readOpening reads what a user, or the desktop, wants to open: a link of Weft, a folder, or its file: address.
func readOpening(text string) (opening, error) {
	folder := text
	switch {
	case strings.TrimSpace(text) == "" || link.Is(text):
		p, err := link.Parse(text)
		return opening{place: &p}, err
	case isFile(text):
		u, err := url.Parse(text)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return opening{}, fault.New(fault.Invalid, "This isn't the address of a folder on this machine.")
		}
		folder = filepath.FromSlash(pathname.OfAddress(u.Path))
	case strings.Contains(text, "://"):
		_, err := link.Parse(text)
		return opening{}, err
	}
	folder, err := existing(folder)
	return opening{folder: folder}, err
}

// isFile reports whether a text is the address of a file, as desktops hand them over.
func isFile(text string) bool {
	const scheme = "file:"
	return len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme)
}

// existing returns the absolute path of a folder that is there.
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

// maxSaid is how many bytes of a path a sentence repeats.
const maxSaid = 300

// openWhat shows a link or a folder: in the Weft that has the data folder open, else in a window.
func openWhat(ctx context.Context, args []string) int {
	var c common
	f := c.flags("open")
	words, ok, code := parseWords(f, &c, args, openHelp)
	if !ok {
		return code
	}
	if len(words) > 1 {
		fmt.Fprintf(stderr(), "weft: unexpected argument %q. weft open takes one link or folder; put quotation marks around a name with spaces.\n", words[1])
		return 2
	}
	what, err := readOpening(strings.Join(words, ""))
	if err != nil {
		complain(err)
		return 2
	}
	return openThere(ctx, c, what)
}

// startsIn is how long a Weft that begins may take until it takes commands.
const startsIn = 10 * time.Second

// handOver has the Weft that runs show something. It is not done where none runs, or none that takes commands after the wait.
func handOver(ctx context.Context, c common, what opening, wait time.Duration) (code int, done bool) {
	dir, err := c.dataDir()
	if err != nil {
		return complain(err), true
	}
	ctx, cancel := context.WithTimeout(ctx, max(wait, answersIn))
	defer cancel()
	for begun := time.Now(); ; {
		if owner, err := handover.Find(dir); err == nil {
			answer, err := openIn(ctx, owner, what)
			var away *url.Error
			switch {
			case err == nil && answer.Address == "":
				return 0, true
			case err == nil && what.asked():
				fmt.Fprintf(stdout(), "Shown in the pages of Weft that are open. To open another one: %s\n", answer.Address)
				return 0, true
			case err == nil:
				why := fault.New(store.CodeInUse, "Weft is already running for a browser, at {{address}}. Open that address, or stop weft serve and start Weft again.", answer.Address)
				if !display() {
					return complain(why), true
				}
				return troubleWindow(ctx, c, why), true
			case !errors.As(err, &away):
				return complain(err), true
			}
		}
		if time.Since(begun) >= wait || ctx.Err() != nil {
			return 0, false
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// answersIn is how long a running Weft may take for an answer.
const answersIn = 15 * time.Second

// openIn asks the owner of a data folder to show something. The error is a *[url.Error] if it is gone.
func openIn(ctx context.Context, owner handover.Address, what opening) (out opened, err error) {
	q := what.query()
	if what.behind { // that it runs is all that was wanted
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

// refused returns the error in an answer of the running Weft.
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

// shows is how a face of Weft shows what a command has asked for.
type shows struct {
	front   func()                       // brings the window to the front; nil for a server
	address func(fragment string) string // of a page with a fragment; nil for the window
}

// takeCommands has weft import and weft open hand their work over to this Weft. Without that, weft import says that Weft has to be
// closed, and weft open opens no second window.
func takeCommands(s *service.Service, how shows, log zerolog.Logger) (done func()) {
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
		what.show(s)
		var out opened
		if how.address != nil {
			out.Address = how.address(what.fragment())
		}
		if how.front != nil {
			how.front()
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

// wanted reads what a command has handed over. The error says why nothing can be shown.
func wanted(ctx context.Context, s *service.Service, q url.Values) (opening, error) {
	if folder := q.Get("folder"); folder != "" {
		if !filepath.IsAbs(folder) {
			return opening{}, fault.New(fault.Invalid, "The path of the folder isn't absolute.")
		}
		folder, err := existing(folder)
		return opening{folder: folder}, err
	}
	if !q.Has("link") {
		return opening{}, nil
	}
	p, err := link.Parse(q.Get("link"))
	if err != nil {
		return opening{}, err
	}
	if _, err := s.Store().Spaces.Get(ctx, p.SpaceID); err != nil {
		return opening{}, err
	}
	return opening{place: &p}, nil
}

// fragment returns the end of the address of a page that shows it.
func (o opening) fragment() string {
	switch {
	case o.place != nil:
		return o.place.Fragment()
	case o.folder != "":
		return "#/new/" + url.PathEscape(o.folder)
	}
	return ""
}
