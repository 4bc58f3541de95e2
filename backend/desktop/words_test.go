package desktop

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is shown before a page has told its words is what the page tells in English.
func TestEnglishWordsAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../frontend/src/commands/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../frontend/src/i18n/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var strs map[string]any
	if err := json.Unmarshal(text, &strs); err != nil {
		t.Fatal(err)
	}
	page := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+): t\('([\w.]+)'\)`).FindAllSubmatch(source, -1) {
		var at any = strs
		for key := range strings.SplitSeq(string(m[2]), ".") {
			within, _ := at.(map[string]any)
			at = within[key]
		}
		page[string(m[1])], _ = at.(string)
	}
	raw, err := json.Marshal(english)
	if err != nil {
		t.Fatal(err)
	}
	var own map[string]string
	if err := json.Unmarshal(raw, &own); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(own, page) {
		t.Errorf("before a page: %v\nthe page: %v", own, page)
	}
	if got, want := len(new(Words).all()), reflect.TypeFor[Words]().NumField(); got != want {
		t.Errorf("all returns %d of %d words", got, want)
	}
}

func TestWordsOfThePageTakeThePlaceOfEnglish(t *testing.T) {
	t.Parallel()
	var w Texts
	if w.Words() != english {
		t.Errorf("before a page: %+v", w.Words())
	}
	long := strings.Repeat("終", maxWords+1)
	w.Set(Words{QuitWeft: "Weft beenden", StopAgents: "100 %s %n Weft beenden?\nx", Background: long})
	got := w.Words()
	if got.QuitWeft != "Weft beenden" || got.Cancel != english.Cancel || got.ShowWindow != english.ShowWindow {
		t.Errorf("%+v", got)
	}
	if got.StopAgents != "100 s n Weft beenden?" {
		t.Errorf("%q", got.StopAgents)
	}
	if n := utf8.RuneCountInString(got.Background); n > maxWords || !strings.HasPrefix(got.Background, "終終終") {
		t.Errorf("%d characters: %q", n, got.Background)
	}
	w.Set(Words{})
	if w.Words() != english {
		t.Errorf("after a page without words: %+v", w.Words())
	}
}
