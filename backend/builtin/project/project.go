// Package project works out what a folder is from its file list and its manifests: what it is called, what it
// is written in, how it is built and tested, where its checks run. It is pure: the caller lists and reads, and
// every fact carries the file it came from.
package project

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
)

// Facts is what is known about a project. The zero value knows nothing.
type Facts struct {
	Name      string // by the manifest, else by the folder
	Title     string // the README's first heading
	About     string // one sentence in the project's own words
	AboutFrom string // the file About was taken from
	Version   string
	License   string
	Parts     []Part    // what the manifests say it is
	Commands  []Command // ways to build, test and run it
	CI        []string  // files that define automatic checks
	Languages []Language
	Folders   []Directory // top-level folders, largest first
	Tests     int         // files that look like tests
	Files     int
	Bytes     int64
	Stopped   bool // the listing was cut, so counts are lower bounds

	present map[string]string // lower-case name of a file at the top → its real name
	nested  []string          // manifests one folder down
}

// maxNested is how many manifests one folder down are worth reading.
const maxNested = 4

// Part is one thing a manifest declares, such as "a Go module (weft, Go 1.26)".
type Part struct{ What, From string }

// Command is something a person can type. What says what it does, or is the shell line behind it if Shell is set.
type Command struct {
	Run, What, From string
	Shell           bool
}

// Language is a programming language with the number of files in it.
type Language struct {
	Name  string
	Files int
}

// Directory is a top-level folder with the number of files below it.
type Directory struct {
	Name  string
	Files int
}

// Learn starts from a listing of the whole folder.
func Learn(folderName string, listing folder.Listing) *Facts {
	f := &Facts{Name: folderName, Files: listing.Files, Bytes: listing.Bytes, Stopped: listing.Stopped, present: map[string]string{}}
	languages, folders := map[string]int{}, map[string]int{}
	for _, e := range listing.Entries {
		top, _, nested := strings.Cut(e.Path, "/")
		if e.Dir {
			continue
		}
		if !nested {
			f.present[strings.ToLower(e.Path)] = e.Path
		} else {
			folders[top]++
		}
		if lang := outline.Language(e.Path); outline.IsCode(lang) {
			languages[lang]++
		}
		if slices.Contains([]string{"package.json", "go.mod", "Cargo.toml", "pyproject.toml"}, path.Base(e.Path)) && e.Depth() == 1 {
			f.nested = append(f.nested, e.Path)
		}
		if IsTest(e.Path) {
			f.Tests++
		}
		if isCI(e.Path) {
			f.CI = append(f.CI, e.Path)
		}
	}
	for name, n := range languages {
		f.Languages = append(f.Languages, Language{name, n})
	}
	slices.SortFunc(f.Languages, func(a, b Language) int {
		return cmp.Or(b.Files-a.Files, strings.Compare(a.Name, b.Name))
	})
	for name, n := range folders {
		f.Folders = append(f.Folders, Directory{name, n})
	}
	slices.SortFunc(f.Folders, func(a, b Directory) int {
		return cmp.Or(b.Files-a.Files, strings.Compare(a.Name, b.Name))
	})
	return f
}

// Has returns the real name of a file at the top of the folder, found without regard to letter case.
func (f *Facts) Has(names ...string) (string, bool) {
	for _, name := range names {
		if real, ok := f.present[strings.ToLower(name)]; ok {
			return real, true
		}
	}
	return "", false
}

// Manifests names the files worth reading to know the project, in reading order.
func (f *Facts) Manifests() []string {
	var out []string
	for _, names := range [][]string{
		{"README.md", "README", "README.rst", "README.txt"},
		{"package.json"},
		{"go.mod"},
		{"Cargo.toml"},
		{"pyproject.toml"},
		{"requirements.txt"},
		{"pom.xml"},
		{"build.gradle.kts", "build.gradle"},
		{"CMakeLists.txt"},
		{"Gemfile"},
		{"composer.json"},
		{"Makefile", "GNUmakefile"},
		{"justfile"},
		{"LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"},
	} {
		if real, ok := f.Has(names...); ok {
			out = append(out, real)
		}
	}
	return append(out, f.nested[:min(len(f.nested), maxNested)]...)
}

// Language returns the main language, or "".
func (f *Facts) Language() string {
	if len(f.Languages) == 0 {
		return ""
	}
	return f.Languages[0].Name
}

// Uses reports whether any file is written in one of the languages.
func (f *Facts) Uses(names ...string) bool {
	return slices.ContainsFunc(f.Languages, func(l Language) bool { return slices.Contains(names, l.Name) })
}

// IsTest reports whether a file looks like a test by its name or place.
func IsTest(file string) bool {
	base := strings.ToLower(path.Base(file))
	stem := strings.TrimSuffix(base, path.Ext(base))
	if !outline.IsCode(outline.Language(file)) {
		return false
	}
	return strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, ".test") ||
		strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_spec") ||
		strings.HasPrefix(file, "tests/") || strings.Contains(file, "/tests/") || strings.Contains(file, "/__tests__/") ||
		strings.Contains(file, "src/test/")
}

func isCI(file string) bool {
	ext := path.Ext(file)
	return (strings.HasPrefix(file, ".github/workflows/") || strings.HasPrefix(file, ".circleci/") || strings.HasPrefix(file, ".woodpecker/")) && (ext == ".yml" || ext == ".yaml") ||
		slices.Contains([]string{".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "Jenkinsfile", ".drone.yml", "bitbucket-pipelines.yml", ".woodpecker.yml"}, file)
}
