package fault_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
)

var update = flag.Bool("update", false, "write testdata/said.json again")

// pieces are what templates and values are made of: words, places, and what another way of formatting would read as one.
var pieces = []string{
	"The folder ", " can't be opened.", "{{a}}", "{{b}}", "{{a}}", "{{name_2}}", "{0}", "{a}", "%s", "%[1]d", "{{x}}", "{{ a }}", "{{", "}}", "{{{a}}}", "{{é}}", "$1", "$&", "$`", `\`, `\u0041`, `"`,
	"<b>bold</b>", "&amp;", "`code`", "\u202eright to left\u202c", "\u200f", "\u0301", "😀", "\n", "\t", "\x01", "\u2028", "日本語", " ", "",
}

type sentences struct{ rand *rand.Rand }

func (s sentences) text() string {
	var b strings.Builder
	for range s.rand.IntN(5) {
		b.WriteString(pieces[s.rand.IntN(len(pieces))])
	}
	return b.String()
}

func (s sentences) said(depth int) fault.Said {
	values := make([]any, s.rand.IntN(4))
	for i := range values {
		switch n := s.rand.IntN(6); {
		case n == 0 && depth > 0:
			values[i] = s.said(depth - 1)
		case n == 1 && depth > 0:
			values[i] = fault.Saying("invalid", s.said(depth-1))
		case n == 2:
			values[i] = s.rand.IntN(1000)
		case n == 3:
			values[i] = errors.New(s.text())
		default:
			values[i] = s.text()
		}
	}
	return fault.Say(fault.Template(s.text()), values...)
}

type example struct {
	Said fault.Said `json:"said"`
	Text string     `json:"text"`
}

// The frontend has the same examples (src/i18n/said.test.ts), so both write the same sentences.
func TestSentenceIsTheSameInTheFrontend(t *testing.T) {
	s := sentences{rand.New(rand.NewPCG(1, 55))}
	list := make([]example, 400)
	for i := range list {
		said := s.said(3)
		list[i] = example{said, said.String()}
	}
	got, err := json.Marshal(list, jsontext.WithIndent(" "))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "said.json")
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != string(got)+"\n" {
		t.Errorf("%s isn't what sentences are now (%v): run the test with -update", path, err)
	}
}

func TestSentenceOutlivesJSON(t *testing.T) {
	s := sentences{rand.New(rand.NewPCG(2, 55))}
	for range 2000 {
		e := fault.Saying("invalid", s.said(10))
		if e.Said().String() != e.Message {
			t.Fatalf("%s is %q and not %q", e.Said(), e.Said().String(), e.Message)
		}
		raw, err := json.Marshal(e.Wire())
		if err != nil {
			t.Fatal(err)
		}
		var back fault.Wire
		if err := json.Unmarshal(raw, &back); err != nil || back != e.Wire() {
			t.Fatalf("%s became %+v (%v)", raw, back, err)
		}
		if again := e.Said().Map(func(s string) string { return s }); again != e.Said() {
			t.Fatalf("%s became %s", e.Said(), again)
		}
	}
}

func TestSentencesOfOthersAreNoErrors(t *testing.T) {
	for _, raw := range []string{`null`, `""`, `"x"`, `7`, `{}`, `[]`, `[7]`, `[["x"]]`, `["x",7]`, `["x",null]`, `["x",{}]`, `["x",[]]`, strings.Repeat(`["x",`, 100) + `""` + strings.Repeat(`]`, 100), `["` + strings.Repeat("x", 40<<10) + `"]`} {
		var got struct {
			Said fault.Said `json:"said"`
		}
		if err := json.Unmarshal([]byte(`{"said":`+raw+`}`), &got); err != nil || got.Said != "" {
			t.Errorf("%.60s became %.60q (%v)", raw, got.Said, err)
		}
	}
}

func TestValuesKeepTheirSentences(t *testing.T) {
	full := fault.New("disk_full", "The disk is full.")
	e := fault.New("io", "Couldn't write {{path}}: {{reason}}", "/tmp/{{reason}}", full).Because(full)
	if e.Message != "Couldn't write /tmp/{{reason}}: The disk is full." || e.Said() != `["Couldn't write {{path}}: {{reason}}","/tmp/{{reason}}",["The disk is full."]]` {
		t.Errorf("%q, %s", e.Message, e.Said())
	}
	hidden := e.Said().Map(func(s string) string { return strings.ReplaceAll(s, "tmp", "***") })
	if hidden.String() != "Couldn't write /***/{{reason}}: The disk is full." {
		t.Errorf("a value is still there: %s", hidden)
	}
	if told := fault.Told(e.Code, "Another message.", e.Said()); told.Said() != "" {
		t.Errorf("a message that was changed has the template %s", told.Said())
	}
	e.Message = "Another message."
	if e.Wire().Said != "" {
		t.Errorf("a message that was changed has the template %s", e.Wire().Said)
	}
	long := fault.New("io", "Couldn't write {{path}}.", strings.Repeat("x", 64<<10))
	if len(long.Message) < 64<<10 || long.Said().String() != long.Message {
		t.Errorf("a long sentence is %d bytes, and its template says %d", len(long.Message), len(long.Said().String()))
	}
	if bad := fault.New("io", "Couldn't read {{path}}.", "a\xffb"); bad.Message != "Couldn't read a\ufffdb." || bad.Said().String() != bad.Message {
		t.Errorf("a name that isn't UTF-8 gives %q", bad.Message)
	}
}

func TestTimesSizesAndNumbersKeepWhatTheyWereMadeOf(t *testing.T) {
	at := time.Date(2026, 1, 31, 15, 4, 0, 0, time.Local)
	said := fault.Say("{{time}}, {{size}}, {{number}}", fault.At(at), fault.Size(1536), fault.Number(12345))
	if said.String() != "2026-01-31 15:04, 1.5 KB, 12345" {
		t.Errorf("%s is %q", said, said.String())
	}
	want := fmt.Sprintf(`["{{time}}, {{size}}, {{number}}",["{{time}}","2026-01-31 15:04","%d"],["{{size}}","1.5 KB","1536"],["{{number}}","12345","12345"]]`, at.UnixMilli())
	if string(said) != want {
		t.Errorf("got  %s\nwant %s", said, want)
	}
}
