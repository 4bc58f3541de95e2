package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/command"
	"weft/backend/handover"
	"weft/backend/httpapi"
	"weft/backend/link"
	"weft/backend/service"
)

const openHelp = `weft open LINK shows a place in a conversation, such as weft://space/ID#MESSAGE, in the Weft
that is running, or in its window. The link alone does the same: weft weft://space/ID.

`

// openPath takes a link in the query.
const openPath = "/open"

// opened is what the running Weft answers.
type opened struct {
	Address string `json:"address"` // where a browser shows the place, "" for the window
}

// openLink shows the place of a link: in the Weft that has the data folder open, else in a window.
func openLink(ctx context.Context, args []string) int {
	var c common
	f := c.flags("open")
	text := ""
	if len(args) > 0 && (link.Is(args[0]) || args[0] != "" && args[0][0] != '-') {
		text, args = args[0], args[1:]
	}
	if ok, code := parse(f, &c, args, openHelp); !ok {
		return code
	}
	p, err := link.Parse(text)
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
		return windowAt(ctx, c, &p)
	}
	answer, err := openIn(ctx, owner, text)
	var away *url.Error
	switch {
	case errors.As(err, &away):
		return windowAt(ctx, c, &p)
	case err != nil:
		return complain(err)
	case answer.Address != "":
		fmt.Printf("Shown in the pages of Weft that are open. To open another one: %s\n", answer.Address)
	}
	return 0
}

// openIn asks the owner of a data folder to show the place of a link. The error is a *[url.Error] if it is gone.
func openIn(ctx context.Context, owner handover.Address, text string) (out opened, err error) {
	q := url.Values{"link": {text}}
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
	front   func()                    // brings the window to the front; nil for a server
	address func(p link.Place) string // of a page that shows a place; nil for the window
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
		p, err := showLink(r.Context(), s, r.URL.Query().Get("link"))
		if err != nil {
			f := service.Fault(err)
			w.WriteHeader(http.StatusBadRequest)
			_ = json.MarshalWrite(w, f.Wire(), command.Wire)
			return
		}
		var out opened
		if how.address != nil {
			out.Address = how.address(p)
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

// showLink shows the place of a link. The error says why nothing can be shown.
func showLink(ctx context.Context, s *service.Service, text string) (link.Place, error) {
	p, err := link.Parse(text)
	if err != nil {
		return link.Place{}, err
	}
	if _, err := s.Store().Spaces.Get(ctx, p.SpaceID); err != nil {
		return link.Place{}, err
	}
	s.ShowPlace(p)
	return p, nil
}
