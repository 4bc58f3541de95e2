package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// mergeBOMs writes one CycloneDX document of those of the programs, with the npm packages and all licenses.
func mergeBOMs(out io.Writer, noticesFile string, files []string) error {
	notices, err := readNotices(noticesFile)
	if err != nil {
		return fmt.Errorf("%s: %w", noticesFile, err)
	}
	licenses := map[string]string{}
	for _, p := range notices.Parts {
		licenses[p.Name] = p.License
	}
	var merged map[string]any
	components := map[string]map[string]any{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if merged == nil {
			merged = doc
		}
		list, _ := doc["components"].([]any)
		for _, c := range list {
			c, _ := c.(map[string]any)
			ref, _ := c["bom-ref"].(string)
			name, _ := c["name"].(string)
			if name == "std" {
				name = "Go standard library"
			}
			if license, ok := licenses[name]; ok {
				c["licenses"] = expression(license)
			}
			components[ref] = c
		}
	}
	for _, p := range notices.Parts {
		if p.Kind == "go" {
			continue
		}
		purl := "pkg:npm/" + strings.Replace(p.Name, "@", "%40", 1) + "@" + p.Version
		components[purl] = map[string]any{
			"bom-ref": purl, "type": "library", "name": p.Name, "version": p.Version, "purl": purl, "scope": "required", "licenses": expression(p.License),
		}
	}
	if len(components) == 0 {
		return fmt.Errorf("there are no components in %s", strings.Join(files, ", "))
	}
	refs := make([]string, 0, len(components))
	for ref := range components {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	all := make([]map[string]any, 0, len(refs))
	for _, ref := range refs {
		all = append(all, components[ref])
	}
	merged["components"] = all
	// The programs have different graphs of the same modules; that of one alone would say that the others don't depend on
	// anything.
	delete(merged, "dependencies")
	delete(merged, "compositions")
	// A tool that was compiled elsewhere has other bytes, though it writes the same.
	if metadata, ok := merged["metadata"].(map[string]any); ok {
		tools, _ := metadata["tools"].([]any)
		for _, t := range tools {
			if tool, ok := t.(map[string]any); ok {
				delete(tool, "hashes")
			}
		}
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(merged)
}

func expression(license string) []any { return []any{map[string]any{"expression": license}} }

// readNotices reads what the other form has written.
func readNotices(path string) (n Notices, err error) {
	file, err := os.Open(path)
	if err != nil {
		return n, err
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		return n, err
	}
	return n, json.NewDecoder(r).Decode(&n)
}
