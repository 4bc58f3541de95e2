package main

import (
	"strings"
	"testing"
)

func TestListIsParsed(t *testing.T) {
	list, err := parse(strings.NewReader("# It has no links.\nbackend/a TestOne\n\n# Other.\nbackend/a TestTwo/part\n"))
	if err != nil || len(list) != 2 || list["backend/a TestTwo/part"] != "Other." {
		t.Errorf("%v, %v", list, err)
	}
	for _, bad := range []string{"backend/a TestOne", "# R\nbackend/a", "# R\nbackend/a T x", "# R\nbackend/a T\nbackend/a T"} {
		if list, err := parse(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken for %v", bad, list)
		}
	}
}

func TestOnlyListedFailuresAreAccepted(t *testing.T) {
	const ok = `{"Action":"run","Package":"weft/a","Test":"TestOk"}{"Action":"pass","Package":"weft/a","Test":"TestOk"}`
	list := map[string]string{"a TestKnown": "it", "a TestParts/known": "it"}
	for name, c := range map[string]struct {
		events, says string
		ok           bool
	}{
		"all pass":                     {ok, "1 tests passed, 0 known failures", true},
		"a listed failure":             {ok + `{"Action":"fail","Package":"weft/a","Test":"TestKnown"}{"Action":"fail","Package":"weft/a"}`, "1 known failures", true},
		"a part of a listed failure":   {ok + `{"Action":"fail","Package":"weft/a","Test":"TestKnown/part"}`, "1 known failures", true},
		"a listed part and its parent": {ok + `{"Action":"fail","Package":"weft/a","Test":"TestParts/known"}{"Action":"output","Package":"weft/a","Test":"TestParts","Output":"--- FAIL: x\n"}{"Action":"fail","Package":"weft/a","Test":"TestParts"}`, "1 known failures", true},
		"a parent with its own error":  {ok + `{"Action":"fail","Package":"weft/a","Test":"TestParts/known"}{"Action":"output","Package":"weft/a","Test":"TestParts","Output":" x_test.go:1: bad\n"}{"Action":"fail","Package":"weft/a","Test":"TestParts"}`, "x_test.go:1: bad", false},
		"another failure":              {ok + `{"Action":"output","Package":"weft/a","Test":"TestNew","Output":"it broke\n"}{"Action":"fail","Package":"weft/a","Test":"TestNew"}`, "it broke", false},
		"the same name elsewhere":      {ok + `{"Action":"fail","Package":"weft/b","Test":"TestKnown"}`, "FAIL  b TestKnown", false},
		"an entry that passes":         {ok + `{"Action":"pass","Package":"weft/a","Test":"TestKnown"}`, "remove it from the list: a TestKnown", true},
		"a build that fails":           {ok + `{"Action":"build-output","ImportPath":"weft/a","Output":"undefined: x\n"}{"Action":"build-fail","ImportPath":"weft/a"}`, "undefined: x", false},
		"a package without a test":     {ok + `{"Action":"fail","Package":"weft/a"}`, "a didn't finish", false},
		"a panic in a listed test":     {ok + `{"Action":"run","Package":"weft/a","Test":"TestNext"}{"Action":"fail","Package":"weft/a","Test":"TestKnown"}{"Action":"fail","Package":"weft/a"}`, "a didn't finish", false},
	} {
		var out strings.Builder
		got, err := compare(list, strings.NewReader(c.events), &out)
		if err != nil || got != c.ok || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: %v, %v: %s", name, got, err, out.String())
		}
	}
	for _, bad := range []string{"", "not JSON"} {
		if _, err := compare(list, strings.NewReader(bad), &strings.Builder{}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
