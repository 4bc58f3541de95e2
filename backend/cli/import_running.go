package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"weft/backend/api/httpapi"
	"weft/backend/api/service/interchange"
	"weft/backend/base/fault"
	"weft/backend/desktop/handover"
	"weft/backend/store"
)

// importer imports files, into the data folder or through the Weft that has it open.
type importer interface {
	File(ctx context.Context, name string, r io.Reader, dryRun bool) (interchange.ImportReport, error)
	Conversations(ctx context.Context, filter interchange.ConversationsFilter, dryRun bool, progress func(interchange.ImportProgress)) (interchange.ConversationsReport, error)
	Close(ctx context.Context) error
}

// openImporter opens the data folder. If another Weft has it open, that one imports, so that it shows the spaces
// immediately.
func openImporter(ctx context.Context, opt interchange.Options) (importer, error) {
	im, err := interchange.OpenImporter(ctx, opt)
	if err == nil {
		return im, nil
	}
	if errors.Is(err, store.ErrInUse) {
		if owner, findErr := handover.Find(opt.DataDir); findErr == nil {
			return running{owner}, nil
		}
	}
	return nil, err
}

// running is a Weft that has the data folder open.
type running struct{ owner handover.Address }

// File implements importer.
func (i running) File(ctx context.Context, name string, r io.Reader, dryRun bool) (out interchange.ImportReport, err error) {
	q := url.Values{"name": {name}, "dryRun": {strconv.FormatBool(dryRun)}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://weft"+httpapi.ImportPath+"?"+q.Encode(), io.NopCloser(r))
	if err != nil {
		return out, err
	}
	return out, i.do(req, &out)
}

// Conversations implements importer. The running Weft shows the progress itself.
func (i running) Conversations(ctx context.Context, filter interchange.ConversationsFilter, dryRun bool, _ func(interchange.ImportProgress)) (out interchange.ConversationsReport, err error) {
	body, err := json.Marshal(httpapi.ConversationsRequest{ConversationsFilter: filter, DryRun: dryRun})
	if err != nil {
		return out, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://weft"+httpapi.ConversationsPath, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	return out, i.do(req, &out)
}

// do sends a request and reads the answer.
func (i running) do(req *http.Request, out any) error {
	res, err := i.owner.Do(req)
	if err != nil {
		return fault.New("offline", "The running Weft can't be reached. Close it and try again.").Because(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return json.UnmarshalRead(res.Body, out)
	}
	return refused(res)
}

// Close implements importer.
func (running) Close(context.Context) error { return nil }
