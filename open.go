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

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/command"
	"weft/backend/fault"
	"weft/backend/handover"
	"weft/backend/httpapi"
	"weft/backend/link"
	"weft/backend/service"
	"weft/backend/service/folders"
)

const openHelp = `weft open FOLDER begins a conversation about a folder, in the Weft that is running, or in its window.
weft open LINK shows a place in a conversation, such as weft://space/ID#MESSAGE. The link alone does the same:
weft weft://space/ID.

`

// openPath takes a link or a folder in the query.
const openPath = "/open"

// opened is what the running Weft answers.
type opened struct {
	Address string `json:"address"` // where a browser shows the same, "" for the window
}

// target is what is to be shown: a place, or the form for a new space in a folder.
type target struct {
	place  link.Place
	folder string // absolute; "" for a place
}

// readTarget reads what a user has named: a link, or a folder that exists.
func readTarget(text string) (target, error) {
	if link.Is(text) || strings.Contains(text, "://") {
		p, err := link.Parse(text)
		return target{place: p}, err
	}
	if text == "" {
		return target{}, fault.New(fault.Invalid, "Name a folder, or a link such as weft://space/ID.")
	}
	path, err := filepath.Abs(text)
	if err != nil {
		return target{}, &fault.Error{Code: "folder_not_found", Message: "The folder you are in can't be found. Name an absolute path.", Err: err}
	}
	folder, err := folders.Of(path)
	return target{folder: folder}, err
}

// text is what readTarget reads.
func (t target) text() string {
	if t.folder != "" {
		return t.folder
	}
	return t.place.String()
}

// fragment is the address of a page that shows it.
func (t target) fragment() string {
	if t.folder != "" {
		return link.FolderFragment(t.folder)
	}
	return t.place.Fragment()
}

// show has the window, and all pages of a browser, show it.
func (t target) show(s *service.Service) {
	if t.folder != "" {
		s.ShowFolder(t.folder)
		return
	}
	s.ShowPlace(t.place)
}

// open shows the place of a link, or begins a space in a folder: in the Weft that has the data folder open, else in a window.
func open(ctx context.Context, args []string) int {
	var c common
	f := c.flags("open")
	words, ok, code := parseWords(f, &c, args, openHelp)
	if !ok {
		return code
	}
	if len(words) > 1 {
		fmt.Fprintf(os.Stderr, "weft: unexpected argument %q. Put a path with spaces in quotes.\n", words[1])
		return 2
	}
	to, err := readTarget(strings.Join(words, ""))
	if err != nil {
		complain(err)
		return 2
	}
	dir, err := c.dataDir()
	if err != nil {
		return complain(err)
	}
	owner, err := handover.Find(dir)
	if err != nil {
		// Nobody has it open, or nobody who takes commands: the window says so, if it can't open.
		return windowAt(ctx, c, &to)
	}
	answer, err := openIn(ctx, owner, to.text())
	var away *url.Error
	switch {
	case errors.As(err, &away):
		return windowAt(ctx, c, &to)
	case err != nil:
		return complain(err)
	case answer.Address != "":
		fmt.Printf("Shown in the pages of Weft that are open. To open another one: %s\n", answer.Address)
	}
	return 0
}

// openIn asks the owner of a data folder to show what readTarget reads. The error is a *[url.Error] if it is gone.
func openIn(ctx context.Context, owner handover.Address, text string) (out opened, err error) {
	q := url.Values{"target": {text}}
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
		Code    string `json:"code"`
		Message string `json:"message"`
		Detail  string `json:"detail"`
	}
	if json.UnmarshalRead(res.Body, &told) != nil || told.Message == "" {
		told.Message = "The running Weft answered " + res.Status + ". Close it and try again."
	}
	return &service.Error{Code: told.Code, Message: told.Message, Detail: told.Detail}
}

// shows is how a face of Weft shows what a command has asked for.
type shows struct {
	front   func()                       // brings the window to the front; nil for a server
	address func(fragment string) string // of a page at a fragment; nil for the window
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
		to, err := showTarget(r.Context(), s, r.URL.Query().Get("target"))
		if err != nil {
			f := service.Fault(err)
			w.WriteHeader(http.StatusBadRequest)
			_ = json.MarshalWrite(w, f.Wire(), command.Wire)
			return
		}
		var out opened
		if how.address != nil {
			out.Address = how.address(to.fragment())
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

// showTarget shows a place or a folder. The error says why nothing can be shown.
func showTarget(ctx context.Context, s *service.Service, text string) (target, error) {
	to, err := readTarget(text)
	if err != nil {
		return target{}, err
	}
	if to.folder == "" {
		if _, err := s.Store().Spaces.Get(ctx, to.place.SpaceID); err != nil {
			return target{}, err
		}
	}
	to.show(s)
	return to, nil
}
