package main

import (
	"cmp"
	"strings"
	"sync"

	"weft/backend/clip"
	"weft/backend/service"
)

// english are the words until the page has told those of its language: a page that runs does so with its first screen.
var english = service.Words{
	ShowWindow: "Show Weft", QuitWeft: "Quit Weft",
	Background: "Weft is running in the background", BackgroundNote: "Start Weft again to show its window.",
	ChooseFolder: "Choose a folder", SaveHistory: "Save the permission history", ExportConversation: "Export conversation",
	StopAgents: "Agents are working. Quitting stops them. Quit Weft?", Quit: "Quit", Cancel: "Cancel", Open: "Open", Save: "Save", Show: "Show",
}

// maxWords is how many characters of what the page has told are shown in one place.
const maxWords = 200

// words are what is shown outside of the page (decision 0059). The zero value is English.
type words struct {
	mu   sync.Mutex
	told service.Words
}

// take takes over what a page has told. What is missing stays English.
func (w *words) take(told service.Words) {
	for _, one := range told.All() {
		*one = clip.Line(strings.ReplaceAll(*one, "%", ""), maxWords) // GTK reads some of them as formats of printf
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = told
}

// known reports whether a page has told its words.
func (w *words) known() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told != service.Words{}
}

// now returns the words in the language of the page.
func (w *words) now() service.Words {
	w.mu.Lock()
	out := w.told
	w.mu.Unlock()
	otherwise := english
	all := otherwise.All()
	for i, one := range out.All() {
		*one = cmp.Or(*one, *all[i])
	}
	return out
}
