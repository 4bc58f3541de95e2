// Command notices collects the licenses of everything of others that Weft ships: the Go modules that are linked into
// its programs, the standard library, and the npm packages and fonts in the frontend. It fails if the license of a part
// is unknown or isn't on the list of those that Weft may be shipped with.
//
//	notices [-tags TAGS] [-frontend DIR] -json FILE -text FILE PACKAGE …
//	notices -sbom -json FILE BOM … > FILE
//
// The JSON is compressed with gzip. The second form merges the CycloneDX documents of the programs into one and adds
// the npm packages and all licenses.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/files/atomicfile"
)

// Part is something of others that ships with Weft.
type Part struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Kind    string `json:"kind"`    // go, npm or font
	License string `json:"license"` // SPDX expression
	URL     string `json:"url"`     // where its source is
	Texts   []int  `json:"texts"`   // indexes into Notices.Texts

	texts []string
}

// Notices are all parts with the texts of their licenses. Each text is there once.
type Notices struct {
	Parts []Part   `json:"parts"`
	Texts []string `json:"texts"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has run
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("notices", flag.ContinueOnError)
	tags := f.String("tags", "", "build tags of the programs")
	frontend := f.String("frontend", "frontend", "folder of the frontend, which has been built")
	asJSON := f.String("json", "", "the notices as JSON, compressed with gzip: to write, or with -sbom to read")
	asText := f.String("text", "", "the notices as text")
	sbom := f.Bool("sbom", false, "merge CycloneDX documents")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *asJSON == "" || f.NArg() == 0 || !*sbom && *asText == "" {
		return errors.New("name the files to write (-json, -text) and the programs")
	}
	if *sbom {
		return mergeBOMs(out, *asJSON, f.Args())
	}
	parts, err := goParts(ctx, *tags, f.Args())
	if err != nil {
		return err
	}
	npm, err := npmParts(*frontend)
	if err != nil {
		return err
	}
	parts = append(parts, npm...)
	if faults := refused(parts); len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	notices := collect(parts)
	var encoded bytes.Buffer
	e := json.NewEncoder(&encoded)
	e.SetEscapeHTML(false)
	if err := e.Encode(notices); err != nil {
		return err
	}
	packed, err := compressed(encoded.Bytes())
	if err != nil {
		return err
	}
	if err := write(*asJSON, packed); err != nil {
		return err
	}
	return write(*asText, notices.text())
}

// compressed returns what gzip makes of data, the same bytes each time.
func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, data, 0o644)
}

// refused returns a sentence for each part that must not ship.
func refused(parts []Part) (faults []string) {
	for _, p := range parts {
		if err := mayShip(p.License); err != nil {
			faults = append(faults, fmt.Sprintf("%s %s can't be shipped: %v. Replace it, or see build/notices.", p.Name, p.Version, err))
		}
		if len(p.texts) == 0 {
			faults = append(faults, fmt.Sprintf("%s %s can't be shipped: it has no license text.", p.Name, p.Version))
		}
	}
	return faults
}

// collect sorts parts and keeps each text once.
func collect(parts []Part) Notices {
	slices.SortFunc(parts, func(a, b Part) int {
		if c := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); c != 0 {
			return c
		}
		return strings.Compare(a.Version, b.Version)
	})
	n := Notices{Parts: slices.Clone(parts)}
	at := map[string]int{}
	for i := range n.Parts {
		p := &n.Parts[i]
		for _, text := range p.texts {
			index, ok := at[text]
			if !ok {
				index = len(n.Texts)
				at[text] = index
				n.Texts = append(n.Texts, text)
			}
			if !slices.Contains(p.Texts, index) {
				p.Texts = append(p.Texts, index)
			}
		}
	}
	return n
}

// text is the document for packages: a list of the parts, then each text with the parts that it is for.
func (n Notices) text() []byte {
	var b bytes.Buffer
	b.WriteString("Weft is made with the work of others. These are the parts, their licenses, and where their source is.\n\n")
	users := make([][]string, len(n.Texts))
	for _, p := range n.Parts {
		fmt.Fprintf(&b, "%s %s (%s)\n    %s\n", p.Name, p.Version, p.License, p.URL)
		for _, i := range p.Texts {
			users[i] = append(users[i], p.Name+" "+p.Version)
		}
	}
	for i, text := range n.Texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(users[i], "\n"), text)
	}
	return b.Bytes()
}
