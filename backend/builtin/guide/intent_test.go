package guide

import (
	"cmp"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]intent{
		"help":                                  {action: help},
		"Hello, guide!":                         {action: help},
		"What can you do?":                      {action: help},
		"/find":                                 {action: help},
		"what next?":                            {action: next},
		"How do I add an agent?":                {action: next},
		"Summarize this project":                {action: summary},
		"summarise the repo.":                   {action: summary},
		"What is this project about?":           {action: summary},
		"explain this to me please":             {action: summary},
		"/summary":                              {action: summary},
		"List the TODOs":                        {action: todos},
		"show me all the todos in this project": {action: todos},
		"are there any FIXMEs?":                 {action: todos},
		"/todos":                                {action: todos},
		"list files":                            {action: tree},
		"Show the tree":                         {action: tree},
		"list the files in src/util":            {action: tree, subject: "src/util"},
		"/tree src":                             {action: tree, subject: "src"},
		"read go.mod":                           {action: read, subject: "go.mod"},
		"main.go":                               {action: read, subject: "main.go"},
		"What does main.go do?":                 {action: read, subject: "main.go"},
		"explain @src/a.py please":              {action: read, subject: "src/a.py"},
		"what does this do? @src/a.py":          {action: read, subject: "src/a.py"},
		"explain this @\"my notes.md\"":         {action: read, subject: "my notes.md"},
		"show main.go lines 10-20":              {action: read, subject: "main.go", from: 10, to: 20},
		"read main.go line 10":                  {action: read, subject: "main.go", from: 10, to: 10},
		"read ../../../etc/passwd":              {action: read, subject: "../../../etc/passwd"},
		"find foo":                              {action: find, subject: "foo"},
		"Find all usages of parseConfig in this project": {action: find, subject: "parseConfig"},
		"please search for \"two words\".":               {action: find, subject: "two words"},
		"where is Server defined?":                       {action: find, subject: "Server"},
		"find files named *.yml":                         {action: find, subject: "*.yml"},
		"find main.go":                                   {action: find, subject: "main.go"},
		"/find foo bar":                                  {action: find, subject: "foo bar"},
		"Find where errors are handled":                  {action: find, subject: "where errors are"},
		"Make a CONTRIBUTING file":                       {action: contribute},
		"Write me a contributing guide for this repo":    {action: contribute},
		"How do I review changes?":                       {action: weft, subject: "review"},
		"how can I undo the changes?":                    {action: weft, subject: "undo"},
		"How do I see what changed":                      {action: weft, subject: "see what changed"},
		"Where can I accept what the agent did?":         {action: weft, subject: "accept"},
		"how to stop the agent":                          {action: weft, subject: "stop"},
		"how do I search old conversations?":             {action: weft, subject: "search"},
		"how do I do the laundry?":                       {action: unknown},
		"why is the sky blue":                            {action: unknown},
		"":                                               {action: unknown},
	} {
		if got := parse(text); got != want {
			t.Errorf("parse(%q) = %+v, want %+v", text, got, want)
		}
	}
}

// These are first prompts of new users.
func TestGreetingsAndFirstQuestionsAreAnswered(t *testing.T) {
	greetings := []string{
		"hello", "Hello!", "hi there", "Hey guide,", "hiya", "Good morning.", "hello 👋", "Hi, I'm new here.", "Hallo", "Guten Tag!", "Hola", "yo", "Greetings", "👋", "ok so",
	}
	helps := []string{
		"", "what can you do?", "What can you do for me", "what do you do", "what can you help me with?", "what are you", "Who are you?", "can you help me?",
		"how can you help", "I need some help", "help", "what are your capabilities?", "tell me about yourself", "introduce yourself", "how does this work?",
		"How do I use you?", "what can I ask you?", "what should I type here?", "What is Weft?", "are you an AI?", "how are you?", "thanks!", "test",
		"What else can you do here?", "which commands do you know", "was kannst du tun?", "qué puedes hacer", "你能做什么？", "何ができますか？",
	}
	nexts := []string{
		"what should I do first?", "what do I do now", "What now?", "where do I start?", "Where should we begin", "how do I get started?", "how do I start", "getting started",
		"what can I do first", "what is the first step?", "what's next", "help me get started", "What can I try first?", "show me around", "how do I add an agent?",
	}
	for _, greeting := range greetings {
		for _, asked := range helps {
			for _, text := range []string{greeting + " " + asked, greeting + ", " + asked, cmp.Or(asked, greeting)} {
				if got := parse(text); got.action != help {
					t.Errorf("parse(%q) = %+v", text, got)
				}
			}
		}
		for _, first := range nexts {
			for _, text := range []string{greeting + " " + first, first} {
				if got := parse(text); got.action != next {
					t.Errorf("parse(%q) = %+v", text, got)
				}
			}
		}
		// A question after a greeting is answered.
		if got := parse(greeting + " find parseConfig"); got != (intent{action: find, subject: "parseConfig"}) {
			t.Errorf("after %q: %+v", greeting, got)
		}
	}
	// Words are greetings only if they stand alone.
	for text, want := range map[string]intent{
		"hello.go":            {action: read, subject: "hello.go"},
		"find hello world":    {action: find, subject: "hello world"},
		"all todos":           {action: todos},
		"where is hello?":     {action: find, subject: "hello"},
		"history of the moon": {action: unknown},
	} {
		if got := parse(text); got != want {
			t.Errorf("parse(%q) = %+v, want %+v", text, got, want)
		}
	}
}

func TestSignificantWordsLeaveOutStopWords(t *testing.T) {
	got := significant("find where the retry-queue handles time-outs, and the queue.", 3)
	if want := []string{"retry-queue", "handles", "time-outs"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"find foo", "/read `", "read @\"", "list files in \x00", "summary of @a b"} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		in := parse(text)
		significant(in.subject, 4)
	})
}

func TestEveryTopicHasAnAnswer(t *testing.T) {
	for _, topic := range topics {
		for _, word := range topic.words {
			in := parse("How do I " + word + " here?")
			if got := topicOf(in.subject); in.action != weft || got != topic.answer {
				t.Errorf("%q is answered with %q (%+v), want %q", word, got, in, topic.answer)
			}
		}
	}
}
