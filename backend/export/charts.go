package export

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// chartOf reads a chart as a table: a row for each place along the x axis, a column for each series. nil: it is none.
func chartOf(fields map[string]jsontext.Value) [][]string {
	var series []struct {
		Name string
		Data []jsontext.Value
	}
	match := json.MatchCaseInsensitiveNames(true)
	if json.Unmarshal(fields["series"], &series, lenient, match) != nil || len(series) == 0 {
		return nil
	}
	var labels []string
	if raw, ok := fields["labels"]; ok && json.Unmarshal(raw, &labels, lenient) != nil {
		return nil
	}
	head := []string{cmp.Or(number(fields["x"]), "x")}
	var places []string
	at := map[string]int{} // of points, by x
	cells := map[[2]int]string{}
	for n, s := range series {
		head = append(head, s.Name)
		for i, v := range s.Data {
			if v.Kind() != '{' {
				for len(places) <= i {
					places = append(places, "")
				}
				if i < len(labels) {
					places[i] = labels[i]
				}
				cells[[2]int{i, n}] = number(v)
				continue
			}
			var point struct{ X, Y jsontext.Value }
			if json.Unmarshal(v, &point, lenient, match) != nil {
				return nil
			}
			x := number(point.X)
			row, known := at[x]
			if !known || cells[[2]int{row, n}] != "" {
				row = len(places)
				places = append(places, x)
				at[x] = row
			}
			cells[[2]int{row, n}] = number(point.Y)
		}
	}
	rows := [][]string{head}
	for i, place := range places {
		row := []string{place}
		for n := range series {
			row = append(row, cells[[2]int{i, n}])
		}
		rows = append(rows, row)
	}
	return rows
}

func number(v jsontext.Value) string {
	if len(v) == 0 || v.Kind() == 'n' {
		return ""
	}
	return stringOf(v)
}

// formOf reads a form as a table of its fields, with the values that the agent has filled in; nil: it is none.
func formOf(schema, values jsontext.Value) [][]string {
	var s struct {
		Properties jsontext.Value `json:"properties"`
	}
	var filled map[string]jsontext.Value
	if json.Unmarshal(schema, &s, lenient) != nil || s.Properties.Kind() != '{' || len(values) > 0 && json.Unmarshal(values, &filled, lenient) != nil {
		return nil
	}
	var properties map[string]struct {
		Title   string         `json:"title"`
		Default jsontext.Value `json:"default"`
	}
	if json.Unmarshal(s.Properties, &properties, lenient) != nil || len(properties) == 0 {
		return nil
	}
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	rows := [][]string{{"Name", "Value"}}
	for _, name := range names {
		value := filled[name]
		if len(value) == 0 {
			value = properties[name].Default
		}
		rows = append(rows, []string{cmp.Or(properties[name].Title, name), number(value)})
	}
	return rows
}
