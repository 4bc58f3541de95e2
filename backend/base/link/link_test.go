package link

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"weft/backend/base/fault"
)

// TestLinksOfTestdata reads what the frontend is held to as well.
func TestLinksOfTestdata(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/links.json")
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Places []struct {
			Link  string
			Place Place
		}
		Bad []string
	}
	if err := json.Unmarshal(raw, &data); err != nil || len(data.Places) == 0 || len(data.Bad) == 0 {
		t.Fatal("the data can't be read:", err)
	}
	for _, c := range data.Places {
		if got := c.Place.String(); got != c.Link {
			t.Errorf("%+v is written %s, want %s", c.Place, got, c.Link)
		}
		if got, err := Parse(c.Link); err != nil || got != c.Place {
			t.Errorf("%s is read as %+v, %v, want %+v", c.Link, got, err, c.Place)
		}
	}
	for _, text := range append(data.Bad, " ", "weft://space/"+strings.Repeat("a", maxID+1), "weft://space/a#"+strings.Repeat("m", 3000)) {
		p, err := Parse(text)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || !strings.HasSuffix(f.Message, ".") || p != (Place{}) {
			t.Errorf("%.60q is read as %+v, %v", text, p, err)
		}
	}
}

func TestIncompletePlacesLinkToWhatTheyHave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		place Place
		link  string
	}{
		{Place{"a", "", 3, 4}, "weft://space/a"},
		{Place{"a", "m", -1, 4}, "weft://space/a#m"},
	} {
		if got := c.place.String(); got != c.link {
			t.Errorf("%+v is written %s, want %s", c.place, got, c.link)
		}
	}
}

func TestLinksAsDesktopsPassThemOn(t *testing.T) {
	t.Parallel()
	want := Place{"ab", "m", 1, 2}
	for _, text := range []string{" weft://space/ab#m.1.2\n", "WEFT://Space/ab#m.1.2", "weft://space/ab/#m.1.2", "weft://space/%61b#%6D.1.2"} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is read as %+v, %v", text, got, err)
		}
	}
	if got, err := Parse("weft://space/ab#"); err != nil || got != Space("ab") {
		t.Errorf("a link with an empty place is read as %+v, %v", got, err)
	}
}

func TestIsTellsLinksOfWeftFromOthers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"weft://space/a": true, "Weft:anything": true, "weft://": true, "weft": false, "": false, "wefts://a": false, "https://weft://": false, "open": false,
	} {
		if Is(text) != want {
			t.Errorf("Is(%q) is not %v", text, want)
		}
	}
}

// FuzzParse checks that what is read is written as a link that is read the same, and nothing panics.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"weft://space/ab12#msg_X1.12.3", "weft://space/%C3%BC/#a%2Eb.0", "WEFT://SPACE/a#", "weft://space/a#m.1.2.3", "weft:", "%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			if p != (Place{}) {
				t.Fatalf("%q is refused and read as %+v", text, p)
			}
			return
		}
		again, err := Parse(p.String())
		if err != nil || again != p {
			t.Fatalf("%q is read as %+v, whose link %s is read as %+v, %v", text, p, p, again, err)
		}
		if !Is(text) {
			t.Fatalf("%q is read, and is no link", text)
		}
	})
}

// FuzzString checks that each place has a link that is read as that place, as long as its ids can be in one.
func FuzzString(f *testing.F) {
	f.Add("ab12", "msg_1", 3, 4)
	f.Add("ü/#%", "a.b", 0, -1)
	f.Fuzz(func(t *testing.T, space, message string, segment, item int) {
		p := Place{space, message, segment, item}
		got, err := Parse(p.String())
		if err != nil {
			return
		}
		want := p
		if message == "" {
			want.Segment = -1
		}
		if want.Segment < 0 {
			want.Segment, want.Item = -1, -1
		}
		want.Item = max(want.Item, -1)
		if got != want {
			t.Fatalf("%+v is linked by %s, which is read as %+v", p, p, got)
		}
	})
}
