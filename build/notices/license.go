package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licenses that let Weft ship a part as it is, if its text and the place of its source are named.
// MPL-2.0 and EPL-2.0 cover the part alone. What isn't here (GPL, AGPL, SSPL, CC-BY-NC, no license) stops the build.
var allowed = []string{
	"0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-1-Clause", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "EPL-2.0", "ISC", "MIT", "MIT-0", "MPL-2.0",
	"OFL-1.1", "LicenseRef-public-domain", "Unlicense", "Zlib", "GooglePatentClause", "GooglePatentsFile",
}

// read are the texts that the scanner doesn't know, and what they are, by the SHA-256 of the text as clean leaves it.
// Add to it only after reading the file: the error names its sum.
var read = map[string]string{
	"14088888f59c8feb910cb6cad319c6f5cddc751201662f3c09ac7b3d4ae04bfa": "LicenseRef-public-domain",  // SQLite
	"0c6ad647e32f97588866d90290059bd358f6635b38e841a74438e2b714fe9f17": "EPL-2.0",                   // elkjs, in Markdown
	"0e57eeaccc07eadeb2c7f720ab2601ef37e02fbc6a86cd6667caf7bf5c614de6": "BSD-2-Clause",              // entities, without its title
	"2314aa0e2bae2fcbc099b29c8815e26688cef6c2cf76226927a3f24f091f7114": "MIT",                       // lodash, with its history
	"496e33c076377029391dbf96300700b3134badc6b6cdc98a9b667fc09ab1d0de": "(BSD-3-Clause OR GPL-2.0)", // libcap/psx, by choice
	"ee35498e6684b30c9efaae009415884772f4450b3f6a3ae49103cd550a2c8ceb": "ISC AND MIT",               // Lucide, with a list of icons
}

// covered is how much of a file must be the words of known licenses, in percent. Copyright lines and headings are the
// rest.
const (
	covered       = 75
	coveredOfMany = 45
)

var (
	licenseFile = regexp.MustCompile(`(?i)^(?:(?:un)?licen[cs]e|copying|copyright)(?:[-._].*)?$|(?i)[-._]licen[cs]e(?:\.(?:txt|md))?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(?:notice|patents|authors)(?:\.(?:txt|md))?$`)
	collection  = regexp.MustCompile(`(?i)3rd|third`) // a file with many licenses and what they are for
	notText     = regexp.MustCompile(`(?i)\.(?:go|js|mjs|cjs|ts|json|html|png|svg)$`)
)

// found is what the license files of a folder say.
type found struct {
	ids   []string // SPDX names, sorted
	texts []string
}

// scan reads the license files of a folder. skip are files that are about something that doesn't ship.
func scan(dir string, skip []string) (f found, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return f, err
	}
	for _, e := range entries {
		name := e.Name()
		license := licenseFile.MatchString(name)
		if e.IsDir() || notText.MatchString(name) || !license && !noticeFile.MatchString(name) || slices.Contains(skip, name) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return f, err
		}
		text := clean(string(raw))
		f.texts = append(f.texts, text)
		if !license {
			continue
		}
		least := float64(covered)
		if collection.MatchString(name) {
			least = coveredOfMany
		}
		ids, err := identify(text, least)
		if err != nil {
			return f, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		f.ids = append(f.ids, ids...)
	}
	slices.Sort(f.ids)
	f.ids = slices.Compact(f.ids)
	return f, nil
}

// clean makes one text of those that differ in line ends and spaces only.
func clean(text string) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// identify names the licenses that a text consists of.
func identify(text string, least float64) (ids []string, err error) {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	if id, ok := read[sum]; ok {
		return []string{id}, nil
	}
	coverage := licensecheck.Scan([]byte(text))
	for _, m := range coverage.Match {
		if m.IsURL && len(coverage.Match) > 1 {
			continue
		}
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 || coverage.Percent < least {
		return ids, fmt.Errorf("the license is unknown (%.0f %% are the words of %s; SHA-256 %s)", coverage.Percent, or(strings.Join(ids, ", "), "no known license"), sum)
	}
	return ids, nil
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// mayShip reports why a part under an SPDX expression must not ship.
func mayShip(expression string) error {
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(expression))
	if len(words) == 0 {
		return errors.New("it has no license")
	}
	p := &spdx{words: words}
	ok := p.either()
	switch {
	case p.bad || len(p.words) > 0:
		return fmt.Errorf("%q isn't a license expression", expression)
	case !ok:
		return fmt.Errorf("its license is %s", expression)
	}
	return nil
}

// spdx reads an expression: licenses joined by OR, AND and parentheses.
type spdx struct {
	words []string
	bad   bool
}

func (p *spdx) next(word string) bool {
	if len(p.words) == 0 || !strings.EqualFold(p.words[0], word) {
		return false
	}
	p.words = p.words[1:]
	return true
}

func (p *spdx) either() bool {
	ok := p.all()
	for p.next("OR") {
		ok = p.all() || ok
	}
	return ok
}

func (p *spdx) all() bool {
	ok := p.one()
	for p.next("AND") {
		ok = p.one() && ok
	}
	return ok
}

func (p *spdx) one() bool {
	if p.next("(") {
		ok := p.either()
		p.bad = p.bad || !p.next(")")
		return ok
	}
	if len(p.words) == 0 || p.words[0] == ")" || strings.EqualFold(p.words[0], "OR") || strings.EqualFold(p.words[0], "AND") {
		p.bad = true
		return false
	}
	id := p.words[0]
	p.words = p.words[1:]
	return slices.Contains(allowed, id)
}
