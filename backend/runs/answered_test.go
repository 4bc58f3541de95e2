package runs

import (
	"context"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A line and a list of words are one command only where a shell makes just these words of the line.
func TestSameCommandIsReadByAShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	rnd := rand.New(rand.NewPCG(13, 6))
	parts := []string{
		"a", "rm", "-rf", "x y", "=", "A=b", "$x", "`id`", "~", "*", "?", "[a]", "{a,b}", "\\", "'", `"`, ";", "&", "|", ">", "<", "#", "!", "\n", "\t", " ", "  ", "é", "\u00a0", "\u2800", "%", "@", ":", ",", ".", "/", "^", "+", "(", ")",
	}
	var lines []string
	script := "set -f\n"
	for len(lines) < 3000 {
		line := ""
		for range 1 + rnd.IntN(5) {
			line += parts[rnd.IntN(len(parts))]
		}
		key := commandKey(line, nil)
		if strings.HasPrefix(key, "sh\x00") {
			continue
		}
		lines = append(lines, key)
		script += "printf '%s\\0' " + strings.Trim(line, " \t\n") + "; printf '\\n'\n"
	}
	cmd := exec.CommandContext(context.Background(), bash, "--norc", "--noprofile")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(out), "\x00\n")
	for i, key := range lines {
		if got[i] != key {
			t.Fatalf("%q is taken for %q", got[i], key)
		}
	}
}

// Arguments of a tool are taken for a command only as far as nothing else is in them that changes what it does.
func TestCommandOfArguments(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"npm test"}`: "npm\x00test", `{"command":["npm","test"]}`: "npm\x00test", `{"cmd":"npm","args":["test"]}`: "npm\x00test",
		`{"command":["bash","-lc","npm test"]}`: "npm\x00test", `{"command":["/bin/sh","-c","a; b"]}`: "sh\x00a; b", `{"command":"a; b","description":"c"}`: "sh\x00a; b",
		`{"command":["/evil/bash","-lc","npm test"]}`: "/evil/bash\x00-lc\x00npm test", `{"command":["bash","-c","npm test","x"]}`: "bash\x00-c\x00npm test\x00x",
		`{"command":["npm test"]}`: "", `{"command":"a","env":{"LD_PRELOAD":"x"}}`: "", `{"command":"a","script":"b"}`: "", `{"command":{"a":1}}`: "", `{"command":"a","args":{}}`: "",
		`{"path":"x"}`: "", `[]`: "", `{}`: "", `{"command":"a","env":[]}`: "a",
	} {
		if got, _ := commandOf(jsontext.Value(input)); got != want {
			t.Errorf("%s is %q, want %q", input, got, want)
		}
	}
}

// What may be written after a request is what the request has shown, and nothing that only looks like it.
func TestShownChangeCoversOnlyItself(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 7))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString([]string{"a", "b", "ab", "\n", "ba\n", "x"}[rnd.IntN(6)])
		}
		return b.String()
	}
	covered := 0
	for range 200_000 {
		current := text(rnd.IntN(8))
		c := fileChange{path: "f", old: text(rnd.IntN(3)), now: text(rnd.IntN(4))}
		if rnd.IntN(4) == 0 {
			c.old = current
		}
		written := text(rnd.IntN(9))
		switch rnd.IntN(4) {
		case 0:
			written = c.now
		case 1:
			written = strings.Replace(current, c.old, c.now, 1)
		}
		if !c.gives(written, func() string { return current }) {
			continue
		}
		covered++
		trim := func(s string) string { return strings.TrimRight(s, "\n") }
		w, now, old, before := trim(written), trim(c.now), trim(c.old), trim(current)
		whole := w == now && (c.old == "" || old == before)
		part := old != "" && strings.Contains(before, old) && (w == strings.Replace(before, old, now, 1) || w == strings.ReplaceAll(before, old, now))
		if !whole && !part {
			t.Fatalf("%q with %q for %q allows %q", current, c.now, c.old, written)
		}
	}
	if covered < 1000 {
		t.Errorf("only %d were covered", covered)
	}
}

func TestTrustedModes(t *testing.T) {
	for id, want := range map[string]string{
		"acceptEdits": "edit", "auto_edit": "edit", "autoEdit": "edit", "auto-edit": "edit", "yolo": "all", "YOLO": "all", "bypassPermissions": "all", "full-access": "all",
		"https://agentclientprotocol.com/protocol/session-modes#autopilot": "all", "default": "", "plan": "", "ask": "", "read-only": "", "dontAsk": "", "build": "", "": "",
	} {
		if got := trusting[modeKey(id)]; got != want {
			t.Errorf("%s is trusted with %q, want %q", id, got, want)
		}
	}
	if raw, err := json.Marshal(Offered{}); err != nil || strings.Contains(string(raw), "pickedMode") {
		t.Errorf("%s, %v", raw, err)
	}
}
