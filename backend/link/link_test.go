package link

import (
	"errors"
	"strings"
	"testing"

	"weft/backend/fault"
)

func TestLinksOfPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		place Place
		link  string
	}{
		{Space("ab12"), "weft://space/ab12"},
		{Message("ab12", "msg_X1"), "weft://space/ab12#msg_X1"},
		{Place{"ab12", "msg_X1", 0, -1}, "weft://space/ab12#msg_X1.0"},
		{Place{"ab12", "msg_X1", 12, 3}, "weft://space/ab12#msg_X1.12.3"},
		{Message("a/b", "1.5 ü#%"), "weft://space/a%2Fb#1%2E5%20%C3%BC%23%25"},
	} {
		if got := c.place.String(); got != c.link {
			t.Errorf("%+v is written %s, want %s", c.place, got, c.link)
		}
		if got, err := Parse(c.link); err != nil || got != c.place {
			t.Errorf("%s is read as %+v, %v, want %+v", c.link, got, err, c.place)
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

func TestBadLinksAreRefusedWithASentence(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "weft", "weft:", "weft://", "weft://space", "weft://space/", "weft://space/#m", "weft://settings/a", "https://space/a", "space/a",
		"weft://space/a b", "weft://space/a/b", "weft://space/a?b", "weft://space/%", "weft://space/%4", "weft://space/%zz", "weft://space/%00",
		"weft://space/%ff", "weft://space/a%0Ab", "weft://space/ü", "weft://space/a#.1", "weft://space/a#m.", "weft://space/a#m.x", "weft://space/a#m.-1",
		"weft://space/a#m.01", "weft://space/a#m.1.", "weft://space/a#m.1.2.3", "weft://space/a#m.1.2.", "weft://space/a#m.+1", "weft://space/a#m.99999999999",
		"weft://space/a#m#n", "weft://space/a..b", "weft://space/" + strings.Repeat("a", maxID+1), "weft://space/a#" + strings.Repeat("m", 3000),
	} {
		p, err := Parse(text)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || !strings.HasSuffix(f.Message, ".") || p != (Place{}) {
			t.Errorf("%.60q is read as %+v, %v", text, p, err)
		}
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
