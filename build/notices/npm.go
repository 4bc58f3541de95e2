package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packageJSON is what a package says of itself.
type packageJSON struct {
	Name, Version string
	License       any
	Author        any
}

// npmParts are the packages that the built frontend consists of, as parts.json lists them.
func npmParts(frontend string) ([]Part, error) {
	raw, err := os.ReadFile(filepath.Join(frontend, "parts.json"))
	if err != nil {
		return nil, fmt.Errorf("the frontend wasn't built: %w", err)
	}
	var folders []string
	if err := json.Unmarshal(raw, &folders); err != nil {
		return nil, fmt.Errorf("parts.json: %w", err)
	}
	parts := make([]Part, 0, len(folders))
	for _, folder := range folders {
		p, err := npmPart(filepath.Join(frontend, folder))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// npmPart reads a package: the license that it declares, and its license files, which may name more for what it has
// taken from others.
func npmPart(dir string) (Part, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return Part{}, err
	}
	var about packageJSON
	if err := json.Unmarshal(raw, &about); err != nil {
		return Part{}, err
	}
	p := Part{
		Name: about.Name, Version: about.Version, Kind: "npm",
		URL: "https://www.npmjs.com/package/" + about.Name + "/v/" + about.Version,
	}
	declared, _ := about.License.(string)
	f, err := scan(dir, nil)
	if err != nil {
		return p, err
	}
	p.License, p.texts = declared, f.texts
	for _, id := range f.ids {
		switch {
		case p.License == "":
			p.License = id
		case !strings.Contains(p.License, id):
			p.License += " AND " + id
		}
	}
	if len(p.texts) == 0 {
		text, ok := withoutFile[declared]
		if !ok {
			return p, fmt.Errorf("it has no license file, and there is no text for %s here", or(declared, "an unknown license"))
		}
		p.texts = []string{strings.ReplaceAll(text, "HOLDER", holder(about))}
	}
	if slices.Equal(strings.Fields(p.License), []string{"OFL-1.1"}) {
		p.Kind = "font"
	}
	return p, nil
}

// holder is who a package without a license file belongs to.
func holder(about packageJSON) string {
	switch a := about.Author.(type) {
	case string:
		name, _, _ := strings.Cut(a, " <")
		return name
	case map[string]any:
		if name, ok := a["name"].(string); ok {
			return name
		}
	}
	return "the authors of " + about.Name
}

// withoutFile are the texts of the licenses that packages declare without enclosing them.
var withoutFile = map[string]string{
	"MIT": `MIT License

Copyright (c) HOLDER

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`,
}
