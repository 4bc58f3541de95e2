package update

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

// Checker asks a source for versions and remembers what it said, so that an older list is noticed and nothing has to be
// asked after a start.
type Checker struct {
	Source  *Source
	Path    string // of the file that it is remembered in
	Version string // of this Weft
	Now     func() time.Time

	mu sync.Mutex
}

// record is what is remembered.
type record struct {
	CheckedAt time.Time `json:"checkedAt"` // of the last check that succeeded
	Raw       Raw       `json:"raw"`
	Later     string    `json:"later"` // the version that the user doesn't want to hear of
	Until     time.Time `json:"until"` // until then
}

// Last is what is known without asking.
type Last struct {
	CheckedAt time.Time // zero if never
	Newer     *Manifest // a version that is newer than this one, nil if none is known
	Later     bool      // the user wants to hear of it later
}

func (c *Checker) load() (r record) {
	raw, err := os.ReadFile(c.Path)
	if err == nil && json.Unmarshal(raw, &r) != nil {
		r = record{} // nobody needs it
	}
	return r
}

func (c *Checker) save(r record) error {
	raw, err := json.Marshal(r)
	if err == nil {
		err = atomicfile.Write(c.Path, raw, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New("io", "Couldn't write {{path}}.", c.Path).Because(err)
	}
	return err
}

// Last returns what is known from the last check.
func (c *Checker) Last() Last {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last(c.load())
}

func (c *Checker) last(r record) Last {
	l := Last{CheckedAt: r.CheckedAt}
	if m, err := c.Source.Verify(r.Raw); err == nil && Newer(m.Version, c.Version) {
		l.Newer, l.Later = &m, r.Later == m.Version && c.Now().Before(r.Until)
	}
	return l
}

// Check asks the source. It blocks for 30 s at most. Errors: update_unreachable, update_unverified, update_older.
func (c *Checker) Check(ctx context.Context) (Last, error) {
	m, raw, err := c.Source.Fetch(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.load()
	if err != nil {
		return c.last(r), err
	}
	if before, err := c.Source.Verify(r.Raw); err == nil && m.Date.Before(before.Date) {
		return c.last(r), fail(codeOlder, nil, "The list of versions is older than the one that {{host}} has sent before ({{version}}), so it wasn't used. Try again later.", c.Source.Host(), before.Version)
	}
	if Newer(c.Version, m.Version) {
		return c.last(r), fail(codeOlder, nil, "The newest published version is {{version}}, which is older than this one ({{version2}}). Nothing was installed.", m.Version, c.Version)
	}
	r.CheckedAt, r.Raw = c.Now().UTC(), raw
	return c.last(r), c.save(r)
}

// Later has a version not told for a while.
func (c *Checker) Later(version string, until time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.load()
	r.Later, r.Until = version, until
	return c.save(r)
}
