package desktop

import (
	"cmp"
	"strings"
	"sync"

	"weft/backend/base/clip"
)

// Words are the texts that the program shows outside the page, in the page's language.
type Words struct {
	ShowWindow string `json:"showWindow"` // tray menu entry
	QuitWeft   string `json:"quitWeft"`   // tray menu entry, and title of the question
	// Background is the title of a notification, BackgroundNote its text.
	Background     string `json:"background"`
	BackgroundNote string `json:"backgroundNote"`
	// Titles of dialogs.
	ChooseFolder       string `json:"chooseFolder"`
	SaveHistory        string `json:"saveHistory"`
	ExportConversation string `json:"exportConversation"`
	// StopAgents is a question with the answers Quit and Cancel, or the system's own words for yes and no.
	StopAgents string `json:"stopAgents"`
	Quit       string `json:"quit"`
	Cancel     string `json:"cancel"`
	Open       string `json:"open"` // a folder
	Save       string `json:"save"` // a file
	Show       string `json:"show"` // the subject of a notification
}

// all returns pointers to all texts.
func (w *Words) all() []*string {
	return []*string{
		&w.ShowWindow, &w.QuitWeft, &w.Background, &w.BackgroundNote, &w.ChooseFolder, &w.SaveHistory, &w.ExportConversation,
		&w.StopAgents, &w.Quit, &w.Cancel, &w.Open, &w.Save, &w.Show,
	}
}

// english are the words until the page has sent those of its language, which it does with its first screen.
var english = Words{
	ShowWindow: "Show Weft", QuitWeft: "Quit Weft",
	Background: "Weft is running in the background", BackgroundNote: "Start Weft again to show its window.",
	ChooseFolder: "Choose a folder", SaveHistory: "Save the permission history", ExportConversation: "Export conversation",
	StopAgents: "Agents are working. Quitting stops them. Quit Weft?", Quit: "Quit", Cancel: "Cancel", Open: "Open", Save: "Save", Show: "Show",
}

// maxWords is the maximum length of a text from the page, in characters.
const maxWords = 200

// Texts holds the words that the page has sent (decision 0059). The zero value is English. It is safe for concurrent
// use.
type Texts struct {
	mu   sync.Mutex
	sent Words
}

// Set replaces the words. Empty ones are English.
func (t *Texts) Set(sent Words) {
	for _, one := range sent.all() {
		*one = clip.Line(strings.ReplaceAll(*one, "%", ""), maxWords) // GTK reads some of them as formats of printf
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = sent
}

// Known reports whether a page has sent its words.
func (t *Texts) Known() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent != Words{}
}

// Words returns the words in the language of the page.
func (t *Texts) Words() Words {
	t.mu.Lock()
	out := t.sent
	t.mu.Unlock()
	otherwise := english
	all := otherwise.all()
	for i, one := range out.all() {
		*one = cmp.Or(*one, *all[i])
	}
	return out
}
