// Package outline describes one source file: its language, its imports, what it declares, its open notes.
//
// Go is parsed; other languages are read line by line with simple patterns for what stands at the top level,
// so a description may miss something and never invents anything. The package is pure: text in, facts out.
package outline

import (
	"path"
	"strings"
)

var byExtension = map[string]string{
	".go": "Go", ".ts": "TypeScript", ".tsx": "TypeScript (JSX)", ".mts": "TypeScript", ".cts": "TypeScript",
	".js": "JavaScript", ".jsx": "JavaScript (JSX)", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".py": "Python", ".pyi": "Python", ".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++", ".cs": "C#",
	".rb": "Ruby", ".php": "PHP", ".swift": "Swift", ".m": "Objective-C", ".lua": "Lua", ".zig": "Zig", ".dart": "Dart",
	".ex": "Elixir", ".exs": "Elixir", ".hs": "Haskell", ".ml": "OCaml", ".clj": "Clojure", ".r": "R", ".jl": "Julia",
	".sh": "Shell", ".bash": "Shell", ".zsh": "Shell", ".fish": "Shell", ".ps1": "PowerShell",
	".md": "Markdown", ".mdx": "Markdown", ".rst": "reStructuredText", ".txt": "plain text", ".adoc": "AsciiDoc",
	".json": "JSON", ".jsonc": "JSON", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML", ".xml": "XML", ".ini": "INI", ".csv": "CSV",
	".html": "HTML", ".htm": "HTML", ".css": "CSS", ".scss": "SCSS", ".less": "Less", ".vue": "Vue", ".svelte": "Svelte",
	".sql": "SQL", ".proto": "Protocol Buffers", ".graphql": "GraphQL", ".tf": "Terraform", ".nix": "Nix",
}

var byName = map[string]string{
	"makefile": "Makefile", "gnumakefile": "Makefile", "dockerfile": "Dockerfile", "containerfile": "Dockerfile",
	"justfile": "Just", "rakefile": "Ruby", "gemfile": "Ruby", "cmakelists.txt": "CMake",
	"go.mod": "Go module file", "go.sum": "Go checksum file", ".gitignore": "ignore list", ".editorconfig": "EditorConfig",
	"license": "plain text", "readme": "plain text", "changelog": "plain text",
}

// notCode are the languages left out when a project is described by what it is written in.
var notCode = map[string]bool{
	"": true, "plain text": true, "Markdown": true, "JSON": true, "YAML": true, "TOML": true, "XML": true, "INI": true,
	"CSV": true, "reStructuredText": true, "AsciiDoc": true, "Go module file": true, "Go checksum file": true,
	"ignore list": true, "EditorConfig": true, "Makefile": true, "Dockerfile": true,
}

// Language names the language of a file by its name, or returns "" if the name does not tell.
func Language(file string) string {
	base := strings.ToLower(path.Base(file))
	if name, ok := byName[base]; ok {
		return name
	}
	return byExtension[path.Ext(base)]
}

// IsCode reports whether a language is one that programs are written in, as against data and prose.
func IsCode(language string) bool { return !notCode[language] }

// Fence is the info string for a Markdown code block that shows the file.
func Fence(file string) string {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	switch Language(file) {
	case "Makefile":
		return "makefile"
	case "Dockerfile":
		return "dockerfile"
	case "", "plain text":
		return ""
	}
	return ext
}
