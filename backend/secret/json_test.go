package secret

import "testing"

func TestSecretsInJSONLeaveAValue(t *testing.T) {
	r := &Redactor{}
	r.Add("17000000")
	r.Add(`quo"ted\secret`)
	for v, want := range map[string]string{
		`{"at":1700000012345,"text":"none"}`:          `{"at":1700000012345,"text":"none"}`,
		`{"at":1700000012345,"text":"is 17000000!"}`:  `{"at":1700000012345,"text":"is [secret]!"}`,
		`{"17000000":"a quo\"ted\\secret","b":[1,2]}`: `{"[secret]":"a [secret]","b":[1,2]}`,
		`{"cut":"17000000`:                            `"[secret]"`,
		``:                                            ``,
	} {
		if got := string(r.PrintedJSON([]byte(v))); got != want {
			t.Errorf("%s\n got %s\nwant %s", v, got, want)
		}
	}
	var none *Redactor
	if got := string(none.PrintedJSON([]byte(`"x"`))); got != `"x"` {
		t.Error(got)
	}
}
