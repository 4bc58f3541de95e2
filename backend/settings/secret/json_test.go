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
	// What is in JSON may itself be JSON, or an address.
	r = &Redactor{}
	r.Add("line\n\"é+/!x=")
	for v, want := range map[string]string{
		`{"a":"{\"k\":\"line\\n\\\"é+/!x=\"}"}`:          `{"a":"{\"k\":\"[secret]\"}"}`,
		`{"a":"{\"k\":\"line\\n\\\"\\u00e9+/!x=\"}"}`:    `{"a":"{\"k\":\"[secret]\"}"}`,
		`{"a":"{\"k\":\"line\\\\n\\\\\\\"é+/!x=\"}"}`:    `{"a":"{\"k\":\"[secret]\"}"}`,
		`{"go":"k=line%0A%22%C3%A9%2B%2F%21x%3D"}`:       `{"go":"k=[secret]"}`,
		`{"python":"k=line%0A%22%C3%A9%2B/%21x%3D"}`:     `{"python":"k=[secret]"}`,
		`{"javascript":"k=line%0A%22%C3%A9%2B%2F!x%3D"}`: `{"javascript":"k=[secret]"}`,
		`{"small":"k=line%0a%22%c3%a9%2b%2f%21x%3d"}`:    `{"small":"k=[secret]"}`,
		`{"path":"a\\b"}`: `{"path":"a\\b"}`,
	} {
		if got := string(r.PrintedJSON([]byte(v))); got != want {
			t.Errorf("%s\n got %s\nwant %s", v, got, want)
		}
	}
	r = &Redactor{}
	r.Add(`a<b>&"c"'d'`)
	for _, v := range []string{`"x a&lt;b&gt;&amp;&#34;c&#34;&#39;d&#39; y"`, `"x a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39; y"`} {
		if got := string(r.PrintedJSON([]byte(v))); got != `"x [secret] y"` {
			t.Errorf("%s\n got %s", v, got)
		}
	}
	var none *Redactor
	if got := string(none.PrintedJSON([]byte(`"x"`))); got != `"x"` {
		t.Error(got)
	}
}
