package export

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
)

// maxSeries is the maximum number of series of a chart, the same as in its tool.
const maxSeries = 50

// chart is a chart. A value without an x is at the label with the same index, or at its index.
type chart struct {
	kind, x, y string
	places     []string
	at         []float64 // positions of the places along the axis
	numbers    bool      // the places are numbers
	series     []series
	left       int64 // bytes of series that were not read
}

type series struct {
	name   string
	points []point
}

type point struct {
	place int
	text  string
	y     float64 // NaN: a gap
}

// chartOf reads a chart, or returns nil if the fields aren't one.
func chartOf(fields map[string]jsontext.Value) *chart {
	var given []struct {
		Name string
		Data []jsontext.Value
	}
	match := json.MatchCaseInsensitiveNames(true)
	if json.Unmarshal(fields["series"], &given, lenient, match) != nil || len(given) == 0 {
		return nil
	}
	var labels []string
	if raw, ok := fields["labels"]; ok && json.Unmarshal(raw, &labels, lenient) != nil {
		return nil
	}
	c := &chart{kind: number(fields["type"]), x: number(fields["x"]), y: number(fields["y"])}
	named := false // a point has an x
	type place struct {
		name string
		nth  int // index among the points of a series with this name
	}
	known := map[place]int{}
	for n, s := range given {
		if n >= maxSeries {
			for _, v := range s.Data {
				c.left += int64(len(v))
			}
			continue
		}
		one := series{name: s.Name}
		if one.name == "" {
			one.name = "Series " + itoa(n+1)
			if len(given) == 1 {
				one.name = cmp.Or(c.y, "Value")
			}
		}
		seen := map[string]int{}
		for i, v := range s.Data {
			at := place{name: itoa(i + 1)}
			if i < len(labels) {
				at.name = labels[i]
			}
			if v.Kind() == '{' {
				var p struct{ X, Y jsontext.Value }
				if json.Unmarshal(v, &p, lenient, match) != nil {
					return nil
				}
				at.name, v, named = number(p.X), p.Y, true
			}
			at.nth = seen[at.name]
			seen[at.name]++
			row, ok := known[at]
			if !ok {
				row = len(c.places)
				known[at] = row
				c.places = append(c.places, at.name)
			}
			one.points = append(one.points, point{row, number(v), readable(number(v))})
		}
		c.series = append(c.series, one)
	}
	c.locate(named, len(labels) > 0)
	return c
}

// locate computes the positions of the places: numbers and times by value, names one after the other.
func (c *chart) locate(named, labelled bool) {
	c.at = make([]float64, len(c.places))
	all := func(read func(string) float64) bool {
		for i, p := range c.places {
			c.at[i] = read(p)
			if math.IsNaN(c.at[i]) || !named && i > 0 && c.at[i] <= c.at[i-1] {
				return false
			}
		}
		return len(c.places) > 0
	}
	c.numbers = (named || !labelled) && all(readable)
	if c.numbers || all(moment) {
		return
	}
	ranks := map[string]int{}
	for i, p := range c.places {
		rank, known := ranks[p]
		if !known {
			rank = len(ranks)
			ranks[p] = rank
		}
		if !named {
			rank = i
		}
		c.at[i] = float64(rank)
	}
}

// readable parses a number that can be drawn, or returns NaN.
func readable(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	switch size := math.Abs(n); {
	case err != nil, !(size <= 1e30):
		return math.NaN()
	case size < 1e-30:
		return 0
	}
	return n
}

// moment parses a date or time into seconds, or returns NaN.
func moment(s string) float64 {
	s = strings.Replace(s, " ", "T", 1)
	for _, form := range []string{time.DateOnly, "2006-01", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(form, s); err == nil {
			return float64(t.Unix())
		}
	}
	return math.NaN()
}

// table returns a chart as rows: one per place along the x axis, with a column per series.
func (c *chart) table() block {
	b := block{kind: blockTable, label: c.y, chart: c, left: c.left}
	head := []string{cmp.Or(c.x, "x")}
	for _, s := range c.series {
		head = append(head, s.name)
	}
	b.rows = append(b.rows, head)
	for _, p := range c.places[:min(len(c.places), maxTable)] {
		b.rows = append(b.rows, append([]string{p}, make([]string, len(c.series))...))
	}
	for n, s := range c.series {
		for _, p := range s.points {
			if p.place < maxTable {
				b.rows[p.place+1][n+1] = p.text
			} else {
				b.left += int64(len(p.text))
			}
		}
	}
	return b
}

func number(v jsontext.Value) string {
	if len(v) == 0 || v.Kind() == 'n' {
		return ""
	}
	return stringOf(v)
}

// formOf returns a form as a table of its fields, with the answers or else the defaults of the agent. It returns nil if
// the schema isn't a form.
func formOf(schema, values jsontext.Value, answered bool) [][]string {
	_, s := scan.Members(schema)
	names, properties := scan.Members(s["properties"])
	if len(names) == 0 {
		return nil
	}
	given, filled := scan.Members(values)
	rows := [][]string{{"Name", "Value"}}
	for _, name := range append(names, given...) {
		var field struct {
			Title   string         `json:"title"`
			Default jsontext.Value `json:"default"`
		}
		if raw, ok := properties[name]; ok {
			_ = json.Unmarshal(raw, &field, lenient) // a field without a title has its name
			delete(properties, name)
		} else if !answered || filled[name] == nil {
			continue
		}
		value := filled[name]
		if value == nil && !answered {
			value = field.Default
		}
		delete(filled, name)
		rows = append(rows, []string{cmp.Or(field.Title, name), told(value)})
	}
	return rows
}

// told returns the value of a field as text.
func told(v jsontext.Value) string {
	var list []jsontext.Value
	switch {
	case v.Kind() == 't':
		return "Yes"
	case v.Kind() == 'f':
		return "No"
	case v.Kind() == '[' && json.Unmarshal(v, &list, lenient) == nil:
		words := make([]string, len(list))
		for i, one := range list {
			words[i] = number(one)
		}
		return strings.Join(words, ", ")
	}
	return number(v)
}
