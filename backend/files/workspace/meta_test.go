package workspace

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestFormInTheMetaOfARequest(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for meta, want := range map[string]FormRequest{
		`{"lineEnding":"crlf","encoding":"utf-16le","bom":true}`: {Ends: "crlf", Encoding: "utf-16le", BOM: &yes},
		`{"bom":false}`: {BOM: &no},
		`{"lineEnding":1,"encoding":["x"],"bom":"yes"}`: {},
		`{}`:   {},
		`null`: {},
		`"lf"`: {},
		``:     {},
	} {
		got := RequestedForm(jsontext.Value(meta))
		if got.Ends != want.Ends || got.Encoding != want.Encoding || (got.BOM == nil) != (want.BOM == nil) || got.BOM != nil && *got.BOM != *want.BOM {
			t.Errorf("%s: %+v", meta, got)
		}
	}
}

func TestAnswerNamesTheFormOfAFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text Text
		want string
	}{
		{Text{Content: "a"}, `{"content":"a"}`},
		{Text{Content: "a", Form: Form{Ends: "lf", Encoding: "utf-8", BOM: true}}, `{"content":"a","_meta":{"lineEnding":"lf","encoding":"utf-8","bom":true}}`},
		{Text{Form: Form{Encoding: "utf-8"}}, `{"content":"","_meta":{"encoding":"utf-8","bom":false}}`},
	} {
		if got, err := json.Marshal(c.text.Answer()); err != nil || string(got) != c.want {
			t.Errorf("%s, want %s (%v)", got, c.want, err)
		}
	}
}
