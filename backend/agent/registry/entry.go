package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"golang.org/x/mod/semver"
)

// Kind is how an agent is distributed.
type Kind string

// The kinds, in the order in which they are offered.
const (
	KindBinary Kind = "binary" // an archive or a program to download
	KindNPX    Kind = "npx"    // a package of npm
	KindUVX    Kind = "uvx"    // a package of PyPI, through uv
)

// Entry is one agent of the list.
type Entry struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Repository  string   `json:"repository"` // http or https, or empty
	Website     string   `json:"website"`    // likewise
	License     string   `json:"license"`
	LicenseURL  string   `json:"licenseUrl"` // likewise
	Authors     []string `json:"authors"`
	// Targets are the ways to install it, whatever the machine.
	Targets []Target `json:"targets"`
	// Problems are ways that the entry has and that cannot be used, as sentences.
	Problems []string `json:"problems"`
}

// Target is one way to install an agent.
type Target struct {
	Kind Kind `json:"kind"`
	// Platform is that of a binary, see [Platform]; empty: any.
	Platform string `json:"platform"`
	Archive  string `json:"archive"` // binary: its address
	SHA256   string `json:"sha256"`  // binary: of the archive, in lower case hex, or empty
	Cmd      string `json:"cmd"`     // binary: the program inside, relative and clean, with slashes
	Package  string `json:"package"` // npx, uvx: a plain name, perhaps with extras (uvx)
	Version  string `json:"version"` // npx, uvx: exactly this one
	// Args and Env are what the program is started with.
	Args []string          `json:"args"`
	Env  map[string]string `json:"env"`
}

// Broken is an entry that cannot be used.
type Broken struct {
	ID     string `json:"id"`   // or its place in the list: "#3"
	Name   string `json:"name"` // may be empty
	Reason string `json:"reason"`
}

// List is what a registry says.
type List struct {
	Version string
	Agents  []Entry
	Broken  []Broken
}

// Find returns the entry with an id.
func (l List) Find(id string) (Entry, bool) {
	i := slices.IndexFunc(l.Agents, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, false
	}
	return l.Agents[i], true
}

// For returns the targets for a platform, in the order of the kinds.
func (e Entry) For(platform string) []Target {
	return slices.DeleteFunc(slices.Clone(e.Targets), func(t Target) bool { return t.Platform != "" && t.Platform != platform })
}

// Platforms returns the platforms that the entry has binaries for, sorted.
func (e Entry) Platforms() []string {
	set := map[string]bool{}
	for _, t := range e.Targets {
		if t.Platform != "" {
			set[t.Platform] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Revision identifies the exact content of an entry, and changes with any part of it. It makes sure that users install
// what they have seen, not what a refresh has replaced it with.
func (e Entry) Revision() string {
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err) // plain strings
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}

// Newer reports whether version a is newer than b. An invalid version counts as newer if the two differ.
func Newer(a, b string) bool {
	va, vb := "v"+a, "v"+b
	if !semver.IsValid(va) || !semver.IsValid(vb) {
		return a != b
	}
	return semver.Compare(va, vb) > 0
}

// Origin returns what is installed: the address of the archive, or the package with its version.
func (t Target) Origin() string {
	switch t.Kind {
	case KindNPX:
		return t.Package + "@" + t.Version
	case KindUVX:
		return t.Package + "==" + t.Version
	default:
		return t.Archive
	}
}
