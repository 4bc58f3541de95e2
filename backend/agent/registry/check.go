package registry

import (
	"encoding/hex"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/fault"
	"weft/backend/base/httpguard"
)

// The limits of an entry's texts, in characters.
const (
	maxID      = 64
	maxName    = 100
	maxVersion = 64
	maxText    = 1000
	maxURL     = 2000
	maxAuthors = 20
	maxArgs    = 64
	maxEnv     = 64
	maxValue   = 4096
)

var (
	idForm      = lazyregexp.New(`^[a-z][a-z0-9-]{0,63}$`)
	versionForm = lazyregexp.New(`^[0-9A-Za-z]([0-9A-Za-z.+_-]{0,62}[0-9A-Za-z])?$`)
	exactForm   = lazyregexp.New(`^[0-9]+(\.[0-9]+)*([-+.]?[0-9A-Za-z][0-9A-Za-z.+-]*)?$`)
	npmForm     = lazyregexp.New(`^(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*$`)
	pythonForm  = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(\[[A-Za-z0-9._,-]+\])?$`)
	envForm     = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	reserved    = lazyregexp.New(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

func checkEntry(in rawEntry) fault.Said {
	switch {
	case in.ID == "":
		return fault.Say("It has no id.")
	case !idForm.MatchString(in.ID) || reserved.MatchString(in.ID):
		return fault.Say("Its id is invalid. It can have lowercase letters, digits and hyphens.")
	case strings.TrimSpace(in.Name) == "":
		return fault.Say("It has no name.")
	case in.Version == "":
		return fault.Say("It has no version.")
	case !versionForm.MatchString(in.Version):
		return fault.Say("Its version is invalid.")
	}
	return ""
}

// checkStart checks the arguments and environment of the program.
func checkStart(args []string, env map[string]string) fault.Said {
	if len(args) > maxArgs || len(env) > maxEnv {
		return fault.Say("It has too many arguments or environment variables.")
	}
	for _, arg := range args {
		if !plainValue(arg) {
			return fault.Say("One of its arguments is too long, or not text.")
		}
	}
	for key, value := range env {
		if !envForm.MatchString(key) || !plainValue(value) {
			return fault.Say("One of its environment variables has an invalid name or value.")
		}
	}
	return ""
}

func plainValue(s string) bool {
	return len(s) <= maxValue && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

// short returns at most limit characters of a text.
func short(s string, limit int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// webAddress returns an address that a browser may open, or "".
func webAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > maxURL || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.String()
}

// MayFetch reports whether downloads from an address are allowed: over https, and if local is true also from this
// machine over http or from a file.
func MayFetch(u *url.URL, local bool) bool {
	switch u.Scheme {
	case "https":
		return u.Host != "" && u.User == nil
	case "http":
		return local && httpguard.Loopback(u.Hostname()) && u.User == nil
	case "file":
		return local && (u.Host == "" || u.Host == "localhost") && path.IsAbs(u.Path)
	}
	return false
}

func archiveAddress(s string, local bool) (address string, problem fault.Said) {
	if s == "" {
		return "", fault.Say("It has no archive.")
	}
	u, err := url.Parse(s)
	if err != nil || len(s) > maxURL || !MayFetch(u, local) {
		return "", fault.Say("Its archive isn't at an https address.")
	}
	return u.String(), ""
}

func checksum(s string) (sum string, problem fault.Said) {
	if s == "" {
		return "", ""
	}
	sum = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "sha256:"))
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != 32 {
		return "", fault.Say("Its SHA-256 checksum is invalid.")
	}
	return sum, ""
}

// programPath returns the path of the program inside an archive.
func programPath(cmd string) (clean string, problem fault.Said) {
	if strings.TrimSpace(cmd) == "" {
		return "", fault.Say("It doesn't name the program to start.")
	}
	bad := func(r rune) bool { return unicode.IsControl(r) || r == '\\' || r == ':' }
	clean = path.Clean(cmd)
	if len(cmd) > maxValue/4 || !utf8.ValidString(cmd) || strings.ContainsFunc(cmd, bad) || path.IsAbs(cmd) ||
		clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fault.Say("Its program is outside the archive.")
	}
	return clean, ""
}

// npmPackage accepts "name", "@scope/name" and "name@version", but nothing that npm would fetch from elsewhere (git, a
// path, an address). The returned version is exact; the entry's version replaces an inexact one.
func npmPackage(s, entryVersion string) (name, version string, problem fault.Said) {
	name, version = s, ""
	if at := strings.LastIndexByte(s, '@'); at > 0 {
		name, version = s[:at], s[at+1:]
	}
	return pinned(name, version, entryVersion, npmForm)
}

// pythonPackage accepts "name", "name==version" and "name@version", with extras.
func pythonPackage(s, entryVersion string) (name, version string, problem fault.Said) {
	name, version, ok := strings.Cut(s, "==")
	if !ok {
		name, version, _ = strings.Cut(s, "@")
	}
	return pinned(strings.TrimSpace(name), strings.TrimSpace(version), entryVersion, pythonForm)
}

func pinned(name, version, entryVersion string, form *lazyregexp.Regexp) (_, _ string, problem fault.Said) {
	if name == "" {
		return "", "", fault.Say("It has no package.")
	}
	if len(name) > 214 || !form.MatchString(name) {
		return "", "", fault.Say("Its package isn't a plain name.")
	}
	if version == "" || len(version) > maxVersion || !exactForm.MatchString(version) {
		version = entryVersion
	}
	return name, version, ""
}
