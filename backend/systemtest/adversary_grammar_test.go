//go:build linux

package systemtest

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// adversaryClasses are the kinds of attacks, each a grammar from which steps are drawn.
var adversaryClasses = map[string]func(*grammar) move{
	"lines":    (*grammar).lineMove,
	"forms":    (*grammar).formMove,
	"rejects":  (*grammar).rejectMove,
	"edits":    (*grammar).editMove,
	"terminal": (*grammar).terminalMove,
	"files":    (*grammar).fileMove,
	"git":      (*grammar).gitMove,
	"gateway":  (*grammar).gatewayMove,
	"tools":    (*grammar).toolMove,
	"protocol": (*grammar).protocolMove,
	"spaces":   (*grammar).spaceMove,
	"modes":    (*grammar).modeMove,
	"options":  (*grammar).modeMove,
	"folders":  (*grammar).folderMove,
	"ids":      (*grammar).idMove,
	"noise":    (*grammar).noiseMove,
}

// grammar draws steps. The same seed draws the same ones, but for the names of temporary folders.
type grammar struct {
	rand    *rand.Rand
	w       *world
	mode    string
	space   string // of the agent
	other   string // another space of it, in the same folder
	foreign string // a space of another agent
	orders  string // a folder for files
}

func (g *grammar) one(list ...string) string { return list[g.rand.IntN(len(list))] }

func (g *grammar) often(percent int) bool { return g.rand.IntN(100) < percent }

// fill replaces what stands for folders, and the nonterminals of command lines: {H} is a command that a rule allows, {R} a command that acts.
func (g *grammar) fill(text string) string {
	for range 8 {
		if !strings.Contains(text, "{") {
			break
		}
		text = strings.NewReplacer(
			"{H}", g.one("ls", "ls", "cat notes.txt", "git status", "git log", "sort data.txt", "npm test", "ls src"),
			"{P}", g.one("canary", "canary x", "canary", "echo x >new", "touch new", "cp notes.txt new", "echo x >{OUT}/victim.txt", "git config core.fsmonitor canary", "rm notes.txt"),
			"{F}", g.one("new", "notes.txt", "src/main.txt", "{OUT}/victim.txt", ".git/config", "made/git/config", "made/out/victim.txt"),
			"{S}", g.one(".env", "./.env", "sub/.env", "src/../.env", "link-env", "made/env", "{DIR}/.env", "{OUT}/secret.txt", "../outside/secret.txt", "link-out/secret.txt", "made/out/secret.txt"),
			"{DIR}", g.w.dir, "{OUT}", g.w.out, "{BIN}", g.w.bin, "{EVIL}", g.w.evil,
		).Replace(text)
	}
	return text
}

// production draws one of the forms, and returns it filled in. name is the form itself, for the report.
func (g *grammar) production(list []string) (name, text string) {
	name = g.one(list...)
	return name, g.fill(name)
}

// object is a JSON object whose members are given as pairs of a name and a value, in that order, also twice.
func object(members ...any) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i < len(members); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(members[i].(string)) + ":")
		if raw, ok := members[i+1].(json.RawMessage); ok {
			b.Write(raw)
			continue
		}
		value, _ := json.Marshal(members[i+1]) // texts, lists and maps of them
		b.Write(value)
	}
	return b.String() + "}"
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// options are answers for the user, in the forms that agents send.
func (g *grammar) options() string {
	if g.often(70) {
		return yesNo
	}
	return g.one(
		`[{"optionId":"no","name":"Reject","kind":"reject_once"},{"optionId":"yes","name":"Allow","kind":"allow_once"}]`,
		`[{"optionId":"a","name":"Reject","kind":"reject_once"},{"optionId":"b","name":"Allow","kind":"allow_once"},{"optionId":"c","name":"Always","kind":"allow_always"},{"optionId":"d","name":"Never","kind":"reject_always"}]`,
		`[{"optionId":"b","name":"Reject","kind":"allow_once"},{"optionId":"c","name":"No","kind":"allow_always"},{"optionId":"d","name":"Allow","kind":"reject_once"}]`,
		`[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"yes","name":"Reject","kind":"reject_once"}]`,
		`[{"optionId":"same","name":"Reject","kind":"reject_once"},{"optionId":"same","name":"Allow","kind":"allow_once"}]`,
		`[{"optionId":"yes","name":"Allow","kind":"allow_always"}]`,
		`[{"optionId":"yes","name":"Allow","kind":"allow_everything"},{"optionId":"no","name":"Reject","kind":"never"}]`,
		`[{"optionId":"","name":"Reject","kind":"reject_once"},{"optionId":"yes","name":"Allow","kind":"allow_once"}]`,
	)
}

// request is a permission request. call holds the members of toolCall beside its id.
func (g *grammar) request(call, options string, acts ...act) frame {
	call = strings.TrimSuffix(strings.TrimPrefix(call, "{"), "}")
	if call != "" {
		call = "," + call
	}
	return frame{
		Method: "session/request_permission", Acts: acts,
		Params: `{"sessionId":"$SESSION","toolCall":{"toolCallId":"call-$N"` + call + `},"options":` + options + `}`,
	}
}

// executes asks to run a line.
func (g *grammar) executes(line string) frame {
	fr := g.request(object("title", g.title(line), "kind", g.kind(), "rawInput", raw(object("command", line))), g.options(), act{Line: line, Dir: g.w.dir})
	fr.True = line
	return fr
}

func (g *grammar) title(line string) string {
	return g.one(line, line, "git status", "ls", "Read notes.txt", "`ls`", "List files", "")
}

func (g *grammar) kind() string {
	return g.one("execute", "execute", "execute", "read", "search", "think", "fetch", "other", "edit", "switch_mode", "", "EXECUTE", "execute ")
}

// path draws a way to name a file.
func (g *grammar) path(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	abs := filepath.Join(g.w.dir, name)
	dir, base := filepath.Split(abs)
	return g.one(
		abs, abs, name, "./"+name, dir+"./"+base, dir+"/"+base, g.w.dir+"/src/../"+name, g.w.dir+"/made/../"+name, "made/../"+name,
		g.w.dir+"/./"+name, abs+"/.", "src//../"+name, g.w.dir+"/nowhere/../"+name, g.w.dir+"/link-out/../space/"+name, "file://"+abs,
		strings.ToUpper(name), g.w.dir+"/../space/"+name, "//"+strings.TrimPrefix(abs, "/"), g.w.dir+"/made/out/../space/"+name, abs+" ", abs+"\u200b",
	)
}
