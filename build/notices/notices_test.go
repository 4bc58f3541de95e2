package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOnlyAllowedLicensesMayShip(t *testing.T) {
	t.Parallel()
	for expression, ok := range map[string]bool{
		"MIT":                           true,
		"MIT AND BSD-3-Clause":          true,
		"(MPL-2.0 OR Apache-2.0)":       true,
		"EPL-2.0 OR GPL-3.0-or-later":   true,
		"GPL-3.0-or-later OR MIT":       true,
		"(GPL-2.0 OR MIT) AND ISC":      true,
		"MIT AND GPL-3.0-only":          false,
		"GPL-3.0-only":                  false,
		"AGPL-3.0":                      false,
		"(GPL-2.0 OR AGPL-3.0) AND MIT": false,
		"MIT OR GPL-2.0 AND GPL-3.0":    true,
		"(MIT OR GPL-2.0) AND GPL-3.0":  false,
		"CC-BY-NC-4.0":                  false,
		"SEE LICENSE IN LICENSE.md":     false,
		"UNLICENSED":                    false,
		"":                              false,
		"MIT AND":                       false,
		"(MIT":                          false,
		"MIT)":                          false,
		"MIT MIT":                       false,
		"OR MIT":                        false,
		"mit":                           false, // SPDX names are exact
		"LicenseRef-public-domain AND BSD-3-Clause": true,
	} {
		if err := mayShip(expression); (err == nil) != ok {
			t.Errorf("%q: %v", expression, err)
		}
	}
}

// mit is the text of a license that the scanner knows.
var mit = strings.ReplaceAll(withoutFile["MIT"], "HOLDER", "Someone")

func TestTextsAreIdentified(t *testing.T) {
	t.Parallel()
	if ids, err := identify(mit, covered); err != nil || !slices.Equal(ids, []string{"MIT"}) {
		t.Errorf("MIT is %v, %v", ids, err)
	}
	for name, text := range map[string]string{
		"nothing":      "",
		"no license":   "All rights reserved.",
		"half a text":  mit[:len(mit)/4],
		"a long rider": mit + "\n\n" + strings.Repeat("The Software may only be used on Sundays by people with a red hat. ", 20),
	} {
		if ids, err := identify(text, covered); err == nil {
			t.Errorf("%s is %v", name, ids)
		}
	}
}

// write makes a package of npm.
func writePackage(t *testing.T, about string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["package.json"] = about
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPackagesOfNpm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, about string
		files       map[string]string
		license     string // "" where it is refused
	}{
		{"with its text", `{"name":"a","version":"1.0.0","license":"MIT"}`, map[string]string{"LICENSE": mit}, "MIT"},
		{"without a text", `{"name":"a","version":"1.0.0","license":"MIT","author":"Someone <a@b.c>"}`, map[string]string{}, "MIT"},
		{"whose text says more", `{"name":"a","version":"1.0.0","license":"ISC"}`, map[string]string{"LICENSE.md": mit}, "ISC AND MIT"},
		{"that declares nothing", `{"name":"a","version":"1.0.0"}`, map[string]string{"license.txt": "\ufeff" + strings.ReplaceAll(mit, "\n", "\r\n")}, "MIT"},
		{"that declares what isn't allowed", `{"name":"a","version":"1.0.0","license":"GPL-3.0-only"}`, map[string]string{"LICENSE": mit}, ""},
		{"with an unknown text", `{"name":"a","version":"1.0.0","license":"MIT"}`, map[string]string{"LICENSE": "Ask first."}, ""},
		{"without anything", `{"name":"a","version":"1.0.0"}`, map[string]string{}, ""},
		{"with an old form of license", `{"name":"a","version":"1.0.0","license":{"type":"MIT"}}`, map[string]string{}, ""},
		{"that isn't published", `{"name":"a","version":"1.0.0","license":"UNLICENSED"}`, map[string]string{}, ""},
		{"that isn't JSON", `{`, map[string]string{"LICENSE": mit}, ""},
	} {
		part, err := npmPart(writePackage(t, test.about, test.files))
		ok := err == nil && len(refused([]Part{part})) == 0
		if ok != (test.license != "") || ok && part.License != test.license {
			t.Errorf("a package %s: %q, %v", test.name, part.License, err)
		}
	}
}

func TestEachTextIsKeptOnce(t *testing.T) {
	t.Parallel()
	n := collect([]Part{
		{Name: "b", Version: "2", License: "MIT", texts: []string{mit}},
		{Name: "A", Version: "1", License: "MIT AND ISC", texts: []string{"other", mit, mit}},
		{Name: "b", Version: "1", License: "MIT", texts: []string{mit}},
	})
	if len(n.Texts) != 2 || n.Parts[0].Name != "A" || n.Parts[1].Version != "1" || !slices.Equal(n.Parts[0].Texts, []int{0, 1}) {
		t.Errorf("%+v", n.Parts)
	}
	text := string(n.text())
	if strings.Count(text, mit) != 1 || !strings.Contains(text, "A 1\nb 1\nb 2\n\nMIT License") {
		t.Errorf("as text:\n%s", text)
	}
}

func TestBillOfMaterials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	packed, err := compressed([]byte(`{"parts":[{"name":"x/y","version":"v1","kind":"go","license":"MIT"},{"name":"@a/b","version":"2","kind":"npm","license":"(MPL-2.0 OR Apache-2.0)"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	notices := file("notices.json.gz", string(packed))
	one := file("one", `{"bomFormat":"CycloneDX","components":[{"bom-ref":"r1","name":"x/y"}],"dependencies":[{"ref":"r1"}],"metadata":{"tools":[{"name":"t","hashes":[{"alg":"MD5"}]}]}}`)
	two := file("two", `{"components":[{"bom-ref":"r1","name":"x/y"},{"bom-ref":"r0","name":"std"}]}`)
	var out bytes.Buffer
	if err := mergeBOMs(&out, notices, []string{one, two}); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		BOMFormat    string
		Dependencies []any
		Components   []struct {
			Ref      string `json:"bom-ref"`
			Licenses []struct{ Expression string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.BOMFormat != "CycloneDX" || doc.Dependencies != nil || len(doc.Components) != 3 || doc.Components[0].Ref != "pkg:npm/%40a/b@2" ||
		doc.Components[2].Licenses[0].Expression != "MIT" {
		t.Errorf("%s", &out)
	}
	if text := out.String(); !strings.Contains(text, `"name": "t"`) || strings.Contains(text, "hashes") {
		t.Errorf("the hash of the tool is in %s", text)
	}
	if err := mergeBOMs(&out, notices, []string{file("broken", "{")}); err == nil {
		t.Error("a document that isn't JSON was taken")
	}
}

func TestFoundInFolders(t *testing.T) {
	t.Parallel()
	dir := writePackage(t, "{}", map[string]string{
		"LICENSE-MIT": mit, "NOTICE": "Made by someone.", "license.go": "package license", "LICENSE-LOGO": "a picture", "licensed.txt": "no", "README": "no",
	})
	f, err := scan(dir, []string{"LICENSE-LOGO"})
	if err != nil || !slices.Equal(f.ids, []string{"MIT"}) || !slices.Equal(f.texts, []string{mit, "Made by someone."}) {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := scan(dir, nil); err == nil {
		t.Error("an unknown license was taken")
	}
}
