package scan

import (
	"strings"
	"testing"
)

func TestFieldsOfAnObject(t *testing.T) {
	for obj, want := range map[string]string{
		`{"a":1,"b":{"a":"}"},"c":[1,{"x":"]"}],"d":null}`:     `a=1 b={"a":"}"} c=[1,{"x":"]"}] d=null`,
		"{ \"a\" :\t1 ,\n\"b\" : \"x\\\\\" , \"c\":\"\\\"\" }": `a=1 b="x\\" c="\""`,
		`{"\u0061":true}`: `a=true`,
		`{}`:              ``,
		`[1]`:             ``,
		`"a"`:             ``,
		``:                ``,
	} {
		var got []string
		for name, value := range Fields([]byte(obj)) {
			got = append(got, string(name)+"="+string(value))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", obj, got, want)
		}
	}
}

func TestMembersAreInOrderAndTheLastOfTwoCounts(t *testing.T) {
	names, values := Members([]byte(`{"b": 1, "a\u0062": [2, {"x": 3}], "b": "last"}`))
	if got := strings.Join(names, " "); got != "b ab" || string(values["b"]) != `"last"` || string(values["ab"]) != `[2, {"x": 3}]` {
		t.Errorf("%q are %q", got, values)
	}
	for _, none := range []string{"", "null", "[1]", `"text"`} {
		if names, values := Members([]byte(none)); len(names) != 0 || len(values) != 0 {
			t.Errorf("%s has the members %q, %q", none, names, values)
		}
	}
}

func TestOpenFieldsReturnTheValueThatIsCutOff(t *testing.T) {
	var got []string
	for name, value := range OpenFields([]byte(`{"a":1,"b":{"c":"wor`)) {
		got = append(got, string(name)+"="+string(value))
	}
	if strings.Join(got, " ") != `a=1 b={"c":"wor` {
		t.Errorf("got %q", got)
	}
	for name := range Fields([]byte(`{"b":{"c":"wor`)) {
		t.Errorf("a member %q of an object that is cut off", name)
	}
}

func TestLastMemberOfANameCounts(t *testing.T) {
	if got := string(Member([]byte(`{"a":1,"b":2,"a":3}`), "a")); got != "3" {
		t.Errorf("got %s", got)
	}
}

func TestTextAndInteger(t *testing.T) {
	long := strings.Repeat("a", longText) + "\n"
	for in, want := range map[string]string{
		`"plain"`: "plain", `"a\u0062\n"`: "ab\n", `"\ud800"`: "\uFFFD", `1`: "", `"`: "", `"` + strings.Repeat("a", longText) + `\n"`: long,
	} {
		if got, _ := Text([]byte(in)); got != want {
			t.Errorf("%.20s: %.20q", in, got)
		}
	}
	for in, want := range map[string]int{`3`: 3, `3.0`: 3, `"3"`: 3, `-4e2`: -400} {
		if got, ok := Integer([]byte(in)); !ok || got != want {
			t.Errorf("%s: %d, %v", in, got, ok)
		}
	}
	for _, in := range []string{`3.5`, `"x"`, `1e300`, `null`} {
		if got, ok := Integer([]byte(in)); ok {
			t.Errorf("%s: %d", in, got)
		}
	}
}

// Whatever the bytes are, values are parts of them.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\\"],"b":{"c":`))
	f.Add([]byte(`[1,{"a":"x"}]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		n := 0
		for _, value := range OpenFields(in) {
			Text(value)
			Label(value)
			Integer(value)
			n += len(value)
		}
		for end, value := range Elements(in) {
			if end > len(in) {
				t.Errorf("%q ends at %d", value, end)
			}
			n += len(value)
		}
		if n > len(in) {
			t.Errorf("values of %d bytes in %d", n, len(in))
		}
	})
}
