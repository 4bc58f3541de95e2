package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"

	"weft/backend/base/fault"
)

// The limits of a list.
const (
	MaxBytes  = 8 << 20 // of its text
	maxAgents = 2000
)

// document is the part of the format that Weft reads; the rest is ignored.
type document struct {
	Version json.RawMessage   `json:"version"`
	Agents  []json.RawMessage `json:"agents"`
}

type rawEntry struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Version      string          `json:"version"`
	Description  string          `json:"description"`
	Repository   string          `json:"repository"`
	Website      string          `json:"website"`
	License      string          `json:"license"`
	LicenseURL   string          `json:"license_url"`
	Authors      json.RawMessage `json:"authors"`
	Distribution struct {
		Binary map[string]json.RawMessage `json:"binary"`
		NPX    json.RawMessage            `json:"npx"`
		UVX    json.RawMessage            `json:"uvx"`
	} `json:"distribution"`
}

type rawTarget struct {
	Archive string            `json:"archive"`
	SHA256  string            `json:"sha256"`
	Cmd     string            `json:"cmd"`
	Package string            `json:"package"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// Parse reads a list. local means that it came from this machine (a file or loopback): only then may its archives be
// local too.
//
// Error: *Error with CodeUnreadable if data is not a registry.
func Parse(data []byte, local bool) (List, error) {
	if len(data) > MaxBytes {
		return List{}, unreadable(nil, "The registry is larger than {{max}} MB.", MaxBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '<' {
			return List{}, unreadable(err, "The source sent a web page instead of a registry.")
		}
		return List{}, unreadable(err, "The source sent something that isn't a registry.")
	}
	switch {
	case doc.Agents == nil:
		return List{}, unreadable(nil, "The source sent JSON that isn't a registry: it has no list \"agents\".")
	case len(doc.Agents) > maxAgents:
		return List{}, unreadable(nil, "The registry lists more than {{max}} agents.", maxAgents)
	}
	list := List{Version: version(doc.Version), Agents: []Entry{}, Broken: []Broken{}}
	seen := map[string]bool{}
	for i, raw := range doc.Agents {
		entry, problem := parseEntry(raw, local)
		if problem == "" && seen[entry.ID] {
			problem = fault.Say("Another entry has the same id.")
		}
		if problem != "" {
			list.Broken = append(list.Broken, Broken{ID: short(cmp.Or(entry.ID, "#"+strconv.Itoa(i+1)), maxID), Name: short(entry.Name, maxName), Reason: problem.String()})
			continue
		}
		seen[entry.ID] = true
		list.Agents = append(list.Agents, entry)
	}
	if len(list.Agents) == 0 {
		return List{}, unreadable(nil, "No usable agents found in the registry.")
	}
	return list, nil
}

func unreadable(err error, template fault.Template, values ...any) *Error {
	return fault.New(CodeUnreadable, template, values...).Because(err)
}

// version returns the version, which is a string, or a number in some mirrors.
func version(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return short(text, maxVersion)
	}
	return short(string(raw), maxVersion)
}

// parseEntry reads one agent. problem says why it can't be used.
func parseEntry(raw json.RawMessage, local bool) (e Entry, problem fault.Said) {
	var in rawEntry
	err := json.Unmarshal(raw, &in)
	e = Entry{ID: in.ID, Name: in.Name}
	if err != nil {
		return e, fault.Say("The entry doesn't follow the registry format: {{reason}}.", reason(err))
	}
	if problem := checkEntry(in); problem != "" {
		return e, problem
	}
	e = Entry{
		ID: in.ID, Name: short(in.Name, maxName), Version: in.Version, Description: short(in.Description, maxText),
		Repository: webAddress(in.Repository), Website: webAddress(in.Website), LicenseURL: webAddress(in.LicenseURL),
		License: short(in.License, maxName), Authors: authors(in.Authors), Targets: []Target{}, Problems: []string{},
	}
	var first fault.Said
	add := func(kind Kind, platform string, raw json.RawMessage) {
		if len(raw) == 0 || string(raw) == "null" {
			return
		}
		t, problem := parseTarget(kind, raw, e.Version, local)
		if problem != "" {
			problem = fault.Say("{{way}} can't be used: {{problem}}", where(kind, platform), problem)
			first = cmp.Or(first, problem)
			e.Problems = append(e.Problems, problem.String())
			return
		}
		t.Platform = platform
		e.Targets = append(e.Targets, t)
	}
	for _, platform := range knownPlatforms {
		add(KindBinary, platform, in.Distribution.Binary[platform])
	}
	add(KindNPX, "", in.Distribution.NPX)
	add(KindUVX, "", in.Distribution.UVX)
	switch {
	case len(e.Targets) > 0:
		return e, ""
	case len(e.Problems) > 0:
		return e, first
	}
	return e, fault.Say("Weft doesn't support any of its installation methods.")
}

var knownPlatforms = []string{"darwin-aarch64", "darwin-x86_64", "linux-aarch64", "linux-x86_64", "windows-aarch64", "windows-x86_64"}

func where(kind Kind, platform string) string {
	if platform != "" {
		return platform
	}
	return string(kind)
}

func parseTarget(kind Kind, raw json.RawMessage, entryVersion string, local bool) (t Target, problem fault.Said) {
	var in rawTarget
	if err := json.Unmarshal(raw, &in); err != nil {
		return t, fault.Say("It doesn't follow the registry format: {{reason}}.", reason(err))
	}
	t = Target{Kind: kind, Args: in.Args, Env: in.Env}
	if t.Args == nil {
		t.Args = []string{}
	}
	if t.Env == nil {
		t.Env = map[string]string{}
	}
	if problem := checkStart(t.Args, t.Env); problem != "" {
		return t, problem
	}
	switch kind {
	case KindBinary:
		if t.Archive, problem = archiveAddress(in.Archive, local); problem != "" {
			return t, problem
		}
		if t.SHA256, problem = checksum(in.SHA256); problem != "" {
			return t, problem
		}
		t.Cmd, problem = programPath(in.Cmd)
	case KindNPX:
		t.Package, t.Version, problem = npmPackage(in.Package, entryVersion)
	case KindUVX:
		t.Package, t.Version, problem = pythonPackage(in.Package, entryVersion)
	}
	return t, problem
}

// authors returns the strings in a list and ignores anything else.
func authors(raw json.RawMessage) []string {
	var list []json.RawMessage
	out := []string{}
	if json.Unmarshal(raw, &list) != nil {
		return out
	}
	for _, item := range list {
		var name string
		if json.Unmarshal(item, &name) == nil && name != "" && len(out) < maxAuthors {
			out = append(out, short(name, maxName))
		}
	}
	return out
}

// reason returns a decoder's error without the names of Go types.
func reason(err error) fault.Said {
	if t, ok := err.(*json.UnmarshalTypeError); ok { //nolint:errorlint // json.Unmarshal answers it bare
		if t.Field == "" {
			return fault.Say("it has the type {{type}}", t.Value)
		}
		return fault.Say("{{field}} has the type {{type}}", t.Field, t.Value)
	}
	return fault.Say("{{reason}}", err)
}
