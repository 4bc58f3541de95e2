package export

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/html"

	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
	"weft/backend/store/spaces"
)

// shownAs returns how files show a component.
func shownAs(t testing.TB, input, output string) (list []block, text string) {
	t.Helper()
	return shownOf(t, &transcript.ToolCall{Kind: transcript.KindDisplay, Input: jsontext.Value(input), Output: jsontext.Value(output)})
}

func shownOf(t testing.TB, c *transcript.ToolCall) (list []block, text string) {
	t.Helper()
	list, err := (&source{}).blocksOf(c)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	h := &page{w: bufio.NewWriter(&out)}
	if err := h.blocks(list); err != nil {
		t.Fatal(err)
	}
	_ = h.w.Flush()
	return list, out.String()
}

func TestChartsAndFormsAreTables(t *testing.T) {
	for name, one := range map[string]struct {
		input, output string
		want          []string
	}{
		"a chart with labels": {
			`{"type":"bar","x":"Day","labels":["Mon","Tue"],"series":[{"name":"Apples","data":[12,null]},{"name":"Pears","data":[1,2]}]}`, "",
			[]string{"Day|Apples|Pears", "Mon|12|1", "Tue||2"},
		},
		"a chart with points": {
			`{"type":"scatter","series":[{"name":"a","data":[{"x":1,"y":2},{"x":1,"y":3}]},{"name":"b","data":[{"x":1,"y":4}]}]}`, "",
			[]string{"x|a|b", "1|2|4", "1|3|"},
		},
		"a chart without names": {
			`{"type":"line","series":[{"name":"","data":[5,6]},{"name":"","data":[7]}]}`, "",
			[]string{"x|Series 1|Series 2", "1|5|7", "2|6|"},
		},
		"a form": {
			`{"schema":{"properties":{"street":{"title":"Street"},"n":{"default":2}}},"values":{"street":"Elm"}}`, `{"state":"cancelled"}`,
			[]string{"Name|Value", "Street|Elm", "n|2"},
		},
		"an answered form": {
			`{"schema":{"properties":{"street":{"title":"Street"},"n":{"default":2},"ok":{"type":"boolean"},"tags":{}}},"values":{"street":"Elm"},"submitLabel":"Go"}`,
			`{"state":"answered","answer":{"ok":true,"street":"Oak","tags":["a","b"],"more":1}}`,
			[]string{"Name|Value", "Street|Oak", "n|", "ok|Yes", "tags|a, b", "more|1"},
		},
	} {
		list, _ := shownAs(t, one.input, one.output)
		var got []string
		for _, block := range list {
			for _, row := range block.rows {
				got = append(got, strings.Join(row, "|"))
			}
			if block.kind != blockTable && block.text != "Not answered" {
				t.Errorf("%s: a block that is no table: %+v", name, block)
			}
		}
		if !slices.Equal(got, one.want) {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
}

func TestChartsAreDrawnAboveTheirValues(t *testing.T) {
	for name, one := range map[string]struct {
		input string
		want  []string // of the drawing
	}{
		"bars": {
			`{"type":"bar","x":"Day","y":"Crates","labels":["Mon","<b>"],"series":[{"name":"Apples","data":[12,9]},{"name":"Pears","data":[3,-4]}]}`,
			[]string{`aria-label="Bar chart. Apples: 2 points, between 9 and 12. Pears: 2 points, between -4 and 3."`, ">Mon<", ">&lt;b&gt;<", ">5<", ">10<", ">Pears<", ">Crates<", ">Day<"},
		},
		"a line with a gap": {
			`{"type":"line","series":[{"name":"a","data":[1,2,null,4,5]}]}`,
			[]string{`aria-label="Line chart. a: 4 points, between 1 and 5."`, `<path class="k1 stroke d0" d="M`},
		},
		"an area of days": {
			`{"type":"area","labels":["2026-01-01","2026-01-02","2026-03-01"],"series":[{"name":"a","data":[1,2,3]}]}`,
			[]string{`class="k1 wash"`, ">2026-01-01<", ">2026-03-01<"},
		},
		"points": {
			`{"type":"scatter","series":[{"name":"a","data":[{"x":0,"y":1},{"x":200000,"y":3}]}]}`,
			[]string{`class="k1 dot"`, ">100K<"},
		},
		"a pie": {
			`{"type":"pie","labels":["Rent","Food","Debt"],"series":[{"name":"","data":[3,1,-2]}]}`,
			[]string{`aria-label="Pie chart. Rent 75%, Food 25%."`, `<path class="k1 ring" d="M`, `<path class="k2 ring" d="M`, ">4<", "Total", "3 · 75%", "1 negative value has no slice."},
		},
	} {
		_, page := shownAs(t, one.input, "")
		for _, want := range one.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s in\n%s", name, want, page)
			}
		}
		drawing, table, _ := strings.Cut(page, `<details class="data"><summary>Data</summary><table>`)
		if strings.Count(drawing, `role="img"`) != 1 || !strings.HasSuffix(table, "</table></details\n>") {
			t.Errorf("%s: not a drawing and a table:\n%s", name, page)
		}
	}
	// A gap breaks the line, and a value between two gaps is still drawn.
	_, page := shownAs(t, `{"type":"line","series":[{"name":"a","data":[1,2,null,4,null,5,6]}]}`, "")
	line := regexp.MustCompile(`class="k1 stroke d0" d="([^"]+)"`).FindStringSubmatch(page)
	if line == nil || strings.Count(line[1], "M") != 3 {
		t.Errorf("a line with two gaps is %q", line)
	}
	// The distances between days are to scale.
	_, page = shownAs(t, `{"type":"scatter","labels":["2026-01-01","2026-01-02","2026-01-11"],"series":[{"name":"a","data":[1,1,1]}]}`, "")
	var at []float64
	for _, m := range regexp.MustCompile(`M([\d.]+) [\d.]+m`).FindAllStringSubmatch(page, -1) {
		at = append(at, readable(m[1]))
	}
	if len(at) != 3 || (at[2]-at[0])/(at[1]-at[0]) < 9.9 || (at[2]-at[0])/(at[1]-at[0]) > 10.1 {
		t.Errorf("a day and ten are at %v", at)
	}
	// If there is nothing to draw, the table is visible.
	for _, empty := range []string{`{"type":"line","series":[{"name":"a","data":[null,"x"]}]}`, `{"type":"pie","series":[{"name":"a","data":[-1,0]}]}`, `{"type":"bar","series":[{"name":"a","data":[]}]}`} {
		if _, page := shownAs(t, empty, ""); !strings.Contains(page, "<table>") || strings.Contains(page, "<svg") || strings.Contains(page, "<details") {
			t.Errorf("%s is %s", empty, page)
		}
	}
}

func TestFormsAreFieldsWithWhatWasAnswered(t *testing.T) {
	form := `{"title":"Delivery","schema":{"type":"object","properties":{"street":{"title":"Street & no."},"gift":{"type":"boolean"}}},"values":{"street":"Elm"}}`
	_, page := shownAs(t, form, `{"state":"answered","answer":{"street":"<Oak>","gift":false}}`)
	if want := `<p class="q">Delivery</p><p class="l">Answer</p><dl class="form"><dt>Street &amp; no.</dt><dd>&lt;Oak&gt;</dd><dt>gift</dt><dd>No</dd></dl>`; page != want {
		t.Errorf("an answered form is\n%s\nwant\n%s", page, want)
	}
	_, page = shownAs(t, form, `{"state":"cancelled"}`)
	if want := `<dl class="form"><dt>Street &amp; no.</dt><dd>Elm</dd><dt>gift</dt><dd></dd></dl><p class="l">Not answered</p>`; !strings.HasSuffix(page, want) {
		t.Errorf("a form without an answer is\n%s\nwant\n%s", page, want)
	}
	if _, page = shownAs(t, form, `{"state":"answered","answer":"no <thanks>"}`); !strings.Contains(page, "no &lt;thanks&gt;") {
		t.Errorf("an answer that is no object is\n%s", page)
	}
}

func TestQuestionsOfAgentsAreForms(t *testing.T) {
	for name, one := range map[string]struct{ output, want string }{
		"answered": {`{"color":"red","ok":true}`, `<p class="l">Answer</p><dl class="form"><dt>Color</dt><dd>red</dd><dt>ok</dt><dd>Yes</dd></dl>`},
		"open":     {"", `<dl class="form"><dt>Color</dt><dd>blue</dd></dl>`},
		"other":    {`"no"`, `<dl class="form"><dt>Color</dt><dd>blue</dd></dl><pre class="res">no</pre>`},
	} {
		_, page := shownOf(t, &transcript.ToolCall{
			Kind: "other", Name: "weft/question", Title: "Which color?", Output: jsontext.Value(one.output),
			Input: jsontext.Value(`{"message":"Which color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string","title":"Color","default":"blue"}}}}`),
		})
		if page != one.want {
			t.Errorf("%s is\n%s\nwant\n%s", name, page, one.want)
		}
	}
	_, page := shownOf(t, &transcript.ToolCall{Kind: "other", Title: "Which color…", Input: jsontext.Value(`{"message":"Which color, <dear>?","requestedSchema":{"properties":{"a":{}}}}`)})
	if !strings.HasPrefix(page, `<pre>Which color, &lt;dear&gt;?</pre><dl class="form">`) {
		t.Errorf("a long question is %s", page)
	}
}

// Displays are visible, even among other calls of the agent.
func TestShownChartsAreNotFoldedAway(t *testing.T) {
	for steps, want := range map[int]string{0: "", 1: "", 2: `<details class="group" open><summary class="completed">2 tool calls · read 2 files</summary>`} {
		k := begin(t, openStore(t, t.TempDir()), spaces.Space{Title: "Sales", Folder: "/home/me", AgentID: "guide", AgentName: "Guide"})
		k.ask("Draw it")
		done, read, shown := transcript.StatusCompleted, "read", transcript.KindDisplay
		for i := range steps {
			k.tool(&transcript.ToolPatch{ID: fmt.Sprint("t", i), Announced: true, Kind: &read, Status: &done, Input: jsontext.Value(`{"path":"a.go"}`)})
		}
		for i := range 2 {
			k.tool(&transcript.ToolPatch{ID: fmt.Sprint("d", i), Announced: true, Kind: &shown, Status: &done, Input: jsontext.Value(`{"type":"bar","series":[{"name":"a","data":[1,2]}]}`)})
		}
		k.done("end_turn")
		page, _ := exported(t, k.st, Options{}, Request{Format: HTML, SpaceID: k.id})
		if got := regexp.MustCompile(`<details class="group.*?</summary>`).FindString(string(page)); got != want {
			t.Errorf("%d steps are in %q, want %q", steps, got, want)
		}
		if n := strings.Count(string(page), `role="img"`); n != 2 {
			t.Errorf("%d steps: %d charts are drawn", steps, n)
		}
	}
}

// randomChart returns a mostly valid chart with any kind of JSON in it.
func randomChart(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	quote := func(s string) string { q, _ := jsontext.AppendQuote(nil, s); return string(q) }
	word := func() string {
		return quote(pick("", "a", "Mon", "2026-01-02", "2026-13-45", "0001-01", "1", "-3.5", "NaN", "日本語のラベル", strings.Repeat("long ", r.IntN(400)), randomHostile(r)))
	}
	number := func() string {
		return pick("0", "-0", "1", "1e308", "-1e308", "1e-320", "1e999", "-1e30", "1e30", "3", "0.1", "123456789.123", "null", "true", `"NaN"`, `"Inf"`, `"-12"`, `"0x1p4"`, "1e-29", "1000000000", "1000000000.1",
			fmt.Sprint(r.NormFloat64()), fmt.Sprint(r.IntN(100)), fmt.Sprint(r.IntN(100)), "[]", word())
	}
	calm := r.IntN(2) == 0
	value := func() string {
		switch {
		case calm:
			return fmt.Sprint(r.IntN(1000) - 200)
		case r.IntN(3) == 0:
			return `{"x":` + pick(number(), word()) + `,"y":` + number() + `}`
		}
		return number()
	}
	many := func(most int, one func() string) string {
		list := make([]string, r.IntN(most+1))
		for i := range list {
			list[i] = one()
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	points, most := []int{1, 3, 12, 60, 60, 300, 300, 10_000}[r.IntN(8)], []int{1, 2, 9, 50, 70}[r.IntN(5)]
	if points > 60 {
		most = min(most, 5)
	}
	s := `{"type":` + pick(`"line"`, `"bar"`, `"area"`, `"scatter"`, `"pie"`, word(), "7")
	if r.IntN(2) == 0 {
		s += `,"labels":` + many(points, word)
	}
	if r.IntN(2) == 0 {
		s += `,"x":` + word() + `,"y":` + word()
	}
	return s + `,"series":` + many(most, func() string { return `{"name":` + word() + `,"data":` + many(points, value) + `}` }) + `}`
}

func TestRandomChartsAreWholeDrawings(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	drawn := 0
	for i := range uint64(max(20, raced.Of(100))) {
		input := randomChart(rand.New(rand.NewPCG(seed, i)))
		about := fmt.Sprintf("seed %d, case %d, %.300s", seed, i, input)
		began := time.Now()
		_, page := shownAs(t, input, "")
		if took := time.Since(began); took > 30*time.Second {
			t.Fatalf("%s: took %v", about, took)
		}
		drawn += strings.Count(page, `role="img"`)
		whole(t, page, about)
	}
	if drawn < 10 {
		t.Errorf("only %d charts were drawn", drawn)
	}
}

// A long input of a chart is stored as a blob.
func TestLongChartsAreReadAsAWhole(t *testing.T) {
	k := begin(t, openStore(t, t.TempDir()), spaces.Space{Title: "Sales", Folder: "/home/me", AgentID: "guide", AgentName: "Guide"})
	k.ask("Draw it")
	done, shown := transcript.StatusCompleted, transcript.KindDisplay
	data := strings.Repeat("123456,", 9_999) + "123456"
	one := `{"name":"a","data":[` + data + `]}`
	k.tool(&transcript.ToolPatch{ID: "d", Announced: true, Kind: &shown, Status: &done, Input: jsontext.Value(`{"title":"Long","type":"line","series":[` + strings.Repeat(one+",", 9) + one + `]}`)})
	k.done("end_turn")
	page, _ := exported(t, k.st, Options{}, Request{Format: HTML, SpaceID: k.id})
	if n := strings.Count(string(page), `role="img"`); n != 1 || len(page) > 600_000 {
		t.Errorf("%d charts are drawn in %d bytes", n, len(page))
	}
	md, _ := exported(t, k.st, Options{}, Request{Format: Markdown, SpaceID: k.id})
	if !strings.Contains(string(md), "| 1000 | 123456 | 123456 |") || strings.Contains(string(md), `"series"`) {
		t.Errorf("the chart is no table: %.300s", md)
	}
}

// The largest valid charts, and larger ones than their tool accepts.
func TestLargeChartsAreDrawnInBounds(t *testing.T) {
	list := func(n int, one string) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	ups := strings.Repeat("1,-5,null,700,", raced.Of(2500))
	for _, kind := range []string{"line", "bar", "pie"} {
		for name, data := range map[string]string{
			"series":  list(50, `{"name":"s","data":[`+ups+`1]}`),
			"points":  list(1, `{"name":"s","data":`+list(raced.Of(50_000), `{"x":"same","y":3}`)+`}`),
			"columns": list(20_000, `{"name":"s","data":[1]}`),
			"both":    "[" + strings.Repeat(`{"name":"s","data":[]},`, 20_000) + `{"name":"s","data":` + list(raced.Of(100_000), "1") + "}]",
		} {
			if name != "series" && kind != "line" {
				continue
			}
			began := time.Now()
			blocks, page := shownAs(t, `{"type":"`+kind+`","series":`+data+`}`, "")
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("%s of many %s took %v", kind, name, took)
			}
			if len(blocks) != 1 || len(page) > 2<<20 {
				t.Errorf("%s of many %s: %d blocks, %d bytes", kind, name, len(blocks), len(page))
			}
			if drawing := drawings.FindString(page); len(drawing) > 150_000 {
				t.Errorf("%s of many %s: a drawing of %d bytes", kind, name, len(drawing))
			}
		}
	}
}

var drawings = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// whole fails if a drawing is not well-formed, has an invalid number, or lies far outside of its view.
func whole(t *testing.T, page, about string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		harmlessNode(t, n, about)
	}
	for _, d := range drawings.FindAllString(page, -1) {
		if len(d) > 150_000 {
			t.Fatalf("%s: a drawing of %d bytes", about, len(d))
		}
		for x := xml.NewDecoder(strings.NewReader(d)); ; {
			token, err := x.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v in\n%.2000s", about, err, d)
			}
			element, _ := token.(xml.StartElement)
			for _, a := range element.Attr {
				if a.Name.Local == "x" || a.Name.Local == "y" {
					if n := readable(a.Value); !(n > -300 && n < 1000) {
						t.Fatalf("%s: %s=%q", about, a.Name.Local, a.Value)
					}
				}
			}
		}
	}
}
