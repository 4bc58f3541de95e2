package export

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestChartsAndFormsAreTables(t *testing.T) {
	for name, one := range map[string]struct {
		fields map[string]string
		want   []string
	}{
		"a chart with labels": {map[string]string{
			"type": `"bar"`, "x": `"Day"`, "labels": `["Mon","Tue"]`, "series": `[{"name":"Apples","data":[12,null]},{"name":"Pears","data":[1,2]}]`,
		}, []string{"Day|Apples|Pears", "Mon|12|1", "Tue||2"}},
		"a chart with points": {map[string]string{
			"type": `"scatter"`, "series": `[{"name":"a","data":[{"x":1,"y":2},{"x":1,"y":3}]},{"name":"b","data":[{"x":1,"y":4}]}]`,
		}, []string{"x|a|b", "1|2|", "1|3|4"}},
		"a form": {map[string]string{
			"schema": `{"properties":{"street":{"title":"Street"},"n":{"default":2}}}`, "values": `{"street":"Elm"}`,
		}, []string{"Name|Value", "n|2", "Street|Elm"}},
	} {
		b := shower{}
		fields := map[string]jsontext.Value{}
		for key, value := range one.fields {
			fields[key] = jsontext.Value(value)
		}
		b.fields(fields)
		var got []string
		for _, block := range b.list {
			for _, row := range block.rows {
				got = append(got, strings.Join(row, "|"))
			}
			if block.kind != blockTable {
				t.Errorf("%s: a block that is no table: %+v", name, block)
			}
		}
		if !slices.Equal(got, one.want) {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
}
