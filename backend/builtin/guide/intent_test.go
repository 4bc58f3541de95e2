package guide

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Intent
	}{
		{"find foo", Intent{Action: Find, Subject: "foo"}},
		{"Find all usages of parseConfig in this project", Intent{Action: Find, Subject: "parseConfig"}},
		{"please search for \"two words\".", Intent{Action: Find, Subject: "two words"}},
		{"Could you look for `a b`?", Intent{Action: Find, Subject: "a b"}},
		{"grep TODO_LIST", Intent{Action: Find, Subject: "TODO_LIST"}},
		{"where is Server defined?", Intent{Action: Where, Subject: "Server"}},
		{"Where is the HTTP server started", Intent{Action: Where, Subject: "HTTP server started"}},
		{"find the definition of Fold", Intent{Action: Where, Subject: "Fold"}},
		{"find main.go", Intent{Action: Files, Subject: "main.go"}},
		{"where is main.go", Intent{Action: Files, Subject: "main.go"}},
		{"find files named *.yml", Intent{Action: Files, Subject: "*.yml"}},
		{"list all go files", Intent{Action: Files, Subject: "*.go"}},
		{"explain src/main.ts", Intent{Action: Explain, Subject: "src/main.ts"}},
		{"What does main.go do?", Intent{Action: Explain, Subject: "main.go"}},
		{"explain @src/a.py please", Intent{Action: Explain, Subject: "src/a.py"}},
		{"what does this file do?", Intent{Action: Explain}},
		{"main.go", Intent{Action: Explain, Subject: "main.go"}},
		{"summarise this project", Intent{Action: Summary}},
		{"Summarize the repo.", Intent{Action: Summary}},
		{"what is this project?", Intent{Action: Summary}},
		{"What's this project about?", Intent{Action: Summary}},
		{"explain the whole thing to me please", Intent{Action: Summary}},
		{"give me an overview of this codebase", Intent{Action: Summary}},
		{"list TODOs", Intent{Action: Todos}},
		{"show me all the todos in this project", Intent{Action: Todos}},
		{"are there any FIXMEs?", Intent{Action: Todos}},
		{"list files", Intent{Action: Tree}},
		{"Show the tree", Intent{Action: Tree}},
		{"list the files in src/util", Intent{Action: Tree, Subject: "src/util"}},
		{"what files are there?", Intent{Action: Tree}},
		{"read go.mod", Intent{Action: Read, Subject: "go.mod"}},
		{"read ../../../etc/passwd", Intent{Action: Read, Subject: "../../../etc/passwd"}},
		{"show main.go lines 10-20", Intent{Action: Read, Subject: "main.go", From: 10, To: 20}},
		{"show lines 3 to 5 of main.go", Intent{Action: Read, Subject: "main.go", From: 3, To: 5}},
		{"make a CONTRIBUTING file", Intent{Action: Make, Subject: "CONTRIBUTING.md"}},
		{"Write me a contributing guide for this repo", Intent{Action: Make, Subject: "CONTRIBUTING.md"}},
		{"please create a README.md", Intent{Action: Make, Subject: "README.md"}},
		{"rewrite the readme", Intent{Action: Make, Subject: "README.md", Anew: true}},
		{"add an .editorconfig", Intent{Action: Make, Subject: ".editorconfig"}},
		{"generate a .gitignore", Intent{Action: Make, Subject: ".gitignore"}},
		{"start a change log", Intent{Action: Make, Subject: "CHANGELOG.md"}},
		{"fix trailing whitespace in a.txt", Intent{Action: Tidy, Subject: "a.txt"}},
		{"add a final newline to a.txt.", Intent{Action: Tidy, Subject: "a.txt"}},
		{"fix the trailing whitespace and the final newline in docs/a.md", Intent{Action: Tidy, Subject: "docs/a.md"}},
		{`replace "a b" with "c" in x.css`, Intent{Action: Replace, Subject: "a b", With: "c", In: "x.css"}},
		{"help", Intent{Action: Help}},
		{"Hello, agent!", Intent{Action: Help}},
		{"What can you do?", Intent{Action: Help}},
		{"thanks!", Intent{Action: Thanks}},
		{"/find foo bar", Intent{Action: Find, Subject: "foo bar"}},
		{"/summary", Intent{Action: Summary}},
		{"/todos", Intent{Action: Todos}},
		{"/explain a.go", Intent{Action: Explain, Subject: "a.go"}},
		{"/tree src", Intent{Action: Tree, Subject: "src"}},
		{"/help", Intent{Action: Help}},
		{"/find", Intent{Action: Help}},
		{"why is the sky blue", Intent{Action: Unknown, Subject: "why is the sky blue"}},
		{"", Intent{Action: Unknown}},
	} {
		if got := Parse(tc.text); got != tc.want {
			t.Errorf("Parse(%q)\n got %+v\nwant %+v", tc.text, got, tc.want)
		}
	}
}

func TestWords(t *testing.T) {
	got := Words("Please explain how the retry-queue handles time-outs, and the queue.", 3)
	if want := []string{"retry-queue", "handles", "time-outs"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTidied(t *testing.T) {
	for _, tc := range []struct{ file, in, want string }{
		{"a.txt", "a  \nb\t\n", "a\nb\n"},
		{"a.txt", "a\nb", "a\nb\n"},
		{"a.txt", "a\n\n\n", "a\n"},
		{"a.txt", "a \r\nb", "a\r\nb\r\n"},
		{"a.md", "a  \nb   \n", "a  \nb\n"},
		{"a.txt", "", ""},
		{"a.txt", "ok\n", "ok\n"},
	} {
		if got, _ := tidied(tc.file, tc.in); got != tc.want {
			t.Errorf("tidied(%q, %q) = %q, want %q", tc.file, tc.in, got, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("find foo")
	f.Add("/explain `")
	f.Add(`replace "" with "" in x`)
	f.Fuzz(func(t *testing.T, text string) {
		in := Parse(text)
		_ = in.thought()
		Words(text, 4)
	})
}
