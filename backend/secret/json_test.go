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
	r.Add("key/with/é")
	for v, want := range map[string]string{
		`{"php":"a key\/with\/é b"}`:          `{"php":"a [secret] b"}`,
		`{"python":"key/with/\u00e9","n":1}`:  `{"python":"[secret]","n":1}`,
		`{"none":"\u00e9 \/"}`:                `{"none":"\u00e9 \/"}`,
		`{"cut":"\u00e9`:                      `{"cut":"\u00e9`,
		`{"key":"\u006bey\/with\/\u00e9 x"} `: `{"key":"[secret] x"}`,
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
