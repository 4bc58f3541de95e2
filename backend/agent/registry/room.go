package registry

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

//go:embed shipped.json
var shippedJSON []byte

var shipped = sync.OnceValue(func() List {
	list, err := Parse(shippedJSON, false)
	if err != nil {
		panic(fmt.Sprintf("shipped.json: %v", err)) // tested
	}
	return list
})

// Listing is the current list and its state.
type Listing struct {
	List
	Source string
	Local  bool // the source is on this machine
	// FetchedAt is when the list was fetched, and CheckedAt when the source last confirmed it. Both are zero for the
	// shipped list.
	FetchedAt, CheckedAt time.Time
	// Failure is the error of the last refresh, or nil.
	Failure error
}

// Shipped reports whether the list is the one that comes with Weft.
func (l Listing) Shipped() bool { return l.FetchedAt.IsZero() }

// kept is the file that stores the list. It is replaced atomically, so the list and its metadata always match.
type kept struct {
	Source    string     `json:"source"`
	FetchedAt int64      `json:"fetchedAt"` // unix ms
	CheckedAt int64      `json:"checkedAt"` // unix ms
	Version   validators `json:"validators"`
	Data      []byte     `json:"data"`
}

// Room holds the current list. Create it with [NewRoom]. All methods may be called from any goroutine.
type Room struct {
	path   string
	source func() string
	now    func() time.Time

	refreshing sync.Mutex // one refresh at a time

	mu      sync.Mutex // guards the fields below
	loaded  bool
	current Listing
	kept    kept
}

// NewRoom returns a Room that stores its list in the file at path. source returns the setting; see [ParseSource]. The
// file is read on first use.
func NewRoom(path string, source func() string, now func() time.Time) *Room {
	return &Room{path: path, source: source, now: now}
}

// Listing returns the current list: the last one from the source, else the shipped one. It reads a file the first time,
// and never uses the network.
func (r *Room) Listing() Listing {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.load()
	return r.current
}

// load loads the list of the current source setting. The caller holds r.mu.
func (r *Room) load() {
	source, err := ParseSource(r.source())
	text := source.String()
	if err != nil {
		text = r.source()
	}
	if r.loaded && r.current.Source == text {
		return
	}
	r.loaded, r.kept = true, kept{}
	r.current = Listing{List: shipped(), Source: text, Local: source.Local(), Failure: err}
	if err != nil || source.at == nil {
		return
	}
	raw, err := os.ReadFile(r.path)
	var k kept
	if err != nil || json.Unmarshal(raw, &k) != nil || k.Source != text {
		return
	}
	list, err := Parse(k.Data, source.Local())
	if err != nil {
		return // of another version of Weft, or damaged: the next refresh replaces it
	}
	r.kept = k
	r.current.List, r.current.FetchedAt, r.current.CheckedAt = list, time.UnixMilli(k.FetchedAt), time.UnixMilli(k.CheckedAt)
}

// Refresh fetches the list and blocks for at most [fetchTime]. On failure, the list is unchanged, and both the listing
// and the returned *Error say why.
func (r *Room) Refresh(ctx context.Context) (Listing, error) {
	r.refreshing.Lock()
	defer r.refreshing.Unlock()
	r.mu.Lock()
	r.load()
	known, before := r.kept, r.current
	r.mu.Unlock()
	source, err := ParseSource(r.source())
	if err != nil || source.at == nil {
		return before, err
	}
	next, err := r.ask(ctx, source, known)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current.Source != source.String() {
		return r.current, nil // the setting changed in the meantime
	}
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) {
			r.current.Failure = err
		}
		return r.current, err
	}
	list, err := Parse(next.Data, source.Local()) // already checked
	if err != nil {
		return r.current, err
	}
	r.kept = next
	r.current = Listing{
		List: list, Source: source.String(), Local: source.Local(),
		FetchedAt: time.UnixMilli(next.FetchedAt), CheckedAt: time.UnixMilli(next.CheckedAt),
	}
	return r.current, nil
}

// ask fetches, checks and stores the list.
func (r *Room) ask(ctx context.Context, source Source, known kept) (kept, error) {
	data, version, err := source.fetch(ctx, known.Version)
	if err != nil {
		return known, err
	}
	next := known
	next.CheckedAt = r.now().UnixMilli()
	if data != nil {
		if _, err := Parse(data, source.Local()); err != nil {
			return known, err
		}
		next = kept{Source: source.String(), FetchedAt: next.CheckedAt, CheckedAt: next.CheckedAt, Version: version, Data: data}
	}
	if err := writeKept(r.path, next); err != nil {
		return known, fault.New(CodeUnreadable, "Couldn't save the new list. Check the free disk space.").Because(err)
	}
	return next, nil
}

func writeKept(path string, k kept) error {
	raw, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, raw, 0o600)
}
