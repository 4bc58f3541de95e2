package sessionoptions

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/space/sessionservers"
)

var seedFlag = flag.Uint64("seed", 1, "of the random sessions")

func TestTrustedModes(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"acceptEdits": "edit", "auto_edit": "edit", "autoEdit": "edit", "auto-edit": "edit", "yolo": "all", "YOLO": "all", "bypassPermissions": "all", "full-access": "all",
		"https://agentclientprotocol.com/protocol/session-modes#autopilot": "all", "default": "", "plan": "", "ask": "", "read-only": "", "dontAsk": "", "build": "", "": "",
	} {
		if got := trusted[modeKey(id)]; got != want {
			t.Errorf("%s is trusted with %q, want %q", id, got, want)
		}
	}
	if raw, err := json.Marshal(Offered{}); err != nil || strings.Contains(string(raw), "picked") {
		t.Errorf("%s, %v", raw, err)
	}
}

// modes returns an agent's response with modes.
func modes(current string, ids ...string) acp.SessionResult {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf(`{"id":%q,"name":"Mode %s"}`, id, id)
	}
	return acp.SessionResult{Modes: jsontext.Value(fmt.Sprintf(`{"currentModeId":%q,"availableModes":[%s]}`, current, strings.Join(list, ",")))}
}

func quoted(s string) jsontext.Value { return jsontext.Value(fmt.Sprintf("%q", s)) }

func TestModeIsTrustedOnlyIfTheUserChoseIt(t *testing.T) {
	t.Parallel()
	var o Options
	o.Opened(modes("yolo", "ask", "autoEdit", "yolo"))
	check := func(when, edit, execute string) {
		t.Helper()
		if e, x := o.Trusts("edit"), o.Trusts("execute"); e != edit || x != execute {
			t.Errorf("%s: %q and %q, want %q and %q", when, e, x, edit, execute)
		}
	}
	check("the agent's own mode", "", "")
	undo := o.Choose("mode", quoted("yolo"))
	check("chosen", "Mode yolo", "Mode yolo")
	if o.Trusts("read") != "" {
		t.Error("a mode is trusted with what it isn't about")
	}
	undo()
	check("taken back", "", "")
	o.Choose("mode", quoted("autoEdit"))
	check("chosen, and not in force", "", "")
	o.SetMode(quoted("autoEdit"))
	check("in force", "Mode autoEdit", "")
	o.SetMode(quoted("yolo"))
	check("changed by the agent", "", "")
	o.TrustEdits()
	check("an edit was answered with always", "always", "")
	o.Closed()
	check("the session was closed", "", "")
}

// What the agent and the session don't report yet keeps its last value.
func TestOfferKeepsWhatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	o, ok := Stored([]byte(`{"agentId":"robin","options":[{"id":"model","name":"Model","category":"model","type":"select","current":"large","via":"config"}],"can":{"image":true},"servers":[{"name":"files"}]}`), "robin")
	if !ok {
		t.Fatal("what was stored is not read")
	}
	was := o.stored
	if _, ok := Stored(was, "wren"); ok {
		t.Error("the options of another agent are taken over")
	}
	read := func(about Offered, initialized bool) (Offered, News) {
		t.Helper()
		news, err := o.Offer(about, initialized)
		if err != nil {
			t.Fatal(err)
		}
		var told Offered
		if err := json.Unmarshal(o.stored, &told); err != nil {
			t.Fatal(err)
		}
		return told, news
	}
	about := Offered{AgentID: "robin", Can: Can{Audio: true}, Servers: []sessionservers.Handed{{Name: "other"}}, SignIn: true}
	if told, news := read(about, false); !told.SignIn || !told.Can.Image || told.Can.Audio || told.Servers[0].Name != "files" || len(told.Options) != 1 || *news.Model != "large" || news.State == nil {
		t.Errorf("before the agent said anything: %+v, %+v", told, news)
	}
	if told, _ := read(about, true); told.Can.Image || !told.Can.Audio || told.Servers[0].Name != "other" || len(told.Options) != 1 {
		t.Errorf("before the session is open: %+v", told)
	}
	if _, news := read(about, true); news.State != nil {
		t.Errorf("the same is told again: %s", news.State)
	}
	o.Opened(modes("ask", "ask", "code"))
	o.Choose("mode", quoted("code"))
	o.Settle()
	if told, news := read(about, true); len(told.Options) != 1 || told.Options[0].ID != "mode" || len(told.Picked) != 1 || string(told.Picked[0].Value) != `"code"` || news.Model != nil {
		t.Errorf("once it is open: %+v", told)
	}
	again, ok := Stored(o.stored, "robin")
	if !ok || string(again.chosen["mode"]) != `"code"` || string(again.wanted["mode"]) != `"ask"` {
		t.Errorf("read again: %+v", again)
	}
}

// agent is an agent whose options may remove or change others, and that refuses some values permanently.
type agent struct {
	rnd     *rand.Rand
	values  map[string]string
	hidden  map[string]bool
	refuses map[string]bool
	modes   [][3]string // id, name and description
	quiet   bool        // setting one option doesn't change others
}

var plainIDs = []string{"a", "b", "c", "d"}

func newAgent(rnd *rand.Rand, quiet bool) *agent {
	a := &agent{rnd: rnd, values: map[string]string{"a": "1", "b": "2", "c": "3", "d": "1"}, hidden: map[string]bool{"b": rnd.IntN(3) == 0}, refuses: map[string]bool{}, quiet: quiet}
	for _, id := range plainIDs {
		for _, v := range []string{"1", "2", "3"} {
			a.refuses[id+v] = rnd.IntN(6) == 0
		}
	}
	if rnd.IntN(5) > 0 {
		for _, i := range rnd.Perm(len(modeWords))[:1+rnd.IntN(6)] {
			w := modeWords[i]
			id := fmt.Sprintf("%s-%d", w.id, len(a.modes))
			if rnd.IntN(2) == 0 {
				id = w.id
			}
			if !slices.ContainsFunc(a.modes, func(m [3]string) bool { return m[0] == id }) {
				a.modes = append(a.modes, [3]string{id, w.name, w.description})
			}
		}
		a.values["mode"] = a.modes[rnd.IntN(len(a.modes))][0]
	}
	a.hidden["auto_approve"] = rnd.IntN(3) > 0
	a.values["auto_approve"] = []string{"true", "false"}[rnd.IntN(2)]
	a.refuses["auto_approvefalse"] = rnd.IntN(6) == 0
	return a
}

func (a *agent) list() jsontext.Value {
	var out []string
	for _, id := range plainIDs {
		if !a.hidden[id] {
			out = append(out, fmt.Sprintf(`{"id":%q,"type":"select","currentValue":%q,"options":[{"value":"1"},{"value":"2"},{"value":"3"}]}`, id, a.values[id]))
		}
	}
	if len(a.modes) > 0 {
		var choices []string
		for _, m := range a.modes {
			choices = append(choices, fmt.Sprintf(`{"value":%q,"name":%q,"description":%q}`, m[0], m[1], m[2]))
		}
		out = append(out, fmt.Sprintf(`{"id":"mode","category":"mode","type":"select","currentValue":%q,"options":[%s]}`, a.values["mode"], strings.Join(choices, ",")))
	}
	if !a.hidden["auto_approve"] {
		out = append(out, fmt.Sprintf(`{"id":"auto_approve","type":"boolean","name":"Auto-approve all tools","currentValue":%s}`, a.values["auto_approve"]))
	}
	return jsontext.Value("[" + strings.Join(out, ",") + "]")
}

// set sets an option, if the agent accepts, and returns its response.
func (a *agent) set(option acp.Option, value jsontext.Value) (list jsontext.Value, ok bool) {
	v, is := text(value)
	if !is {
		v = string(value)
	}
	if a.refuses[option.ID+v] {
		return nil, false
	}
	a.values[option.ID] = v
	if a.rnd.IntN(3) == 0 {
		return nil, true // it reports nothing
	}
	if !a.quiet && a.rnd.IntN(3) == 0 {
		other := plainIDs[a.rnd.IntN(4)]
		if a.hidden[other] = !a.hidden[other]; !a.hidden[other] {
			a.values[other] = []string{"1", "2", "3"}[a.rnd.IntN(3)]
		}
	}
	return a.list(), true
}

// settle sets the options that must be set.
func (a *agent) settle(t *testing.T, o *Options, name string) (set int) {
	t.Helper()
	tried := map[string]bool{}
	for range 100 {
		s := o.Next(tried)
		if s == nil {
			break
		}
		if !s.Option.Offers(s.Value) || s.Option.Is(s.Value) {
			t.Fatalf("%s: %s is set to %s", name, s.Option.ID, s.Value)
		}
		set++
		if list, ok := a.set(s.Option, s.Value); ok {
			o.Took(s, list)
		} else {
			o.Refused(s, "No.")
		}
	}
	if len(tried) != set {
		t.Fatalf("%s: %d values were set, %d of them once", name, set, len(tried))
	}
	if _, err := o.Offer(Offered{AgentID: "robin"}, true); err != nil {
		t.Fatal(err)
	}
	return set
}

// possible reports whether some values of the options meet a need, excluding those that the agent refuses.
func (a *agent) possible(o *Options, n Need) bool {
	list := o.offer.List()
	var try func(i int, values Values) bool
	try = func(i int, values Values) bool {
		if i == len(list) {
			return n.Met(together(list, values))
		}
		op := &list[i]
		all := []jsontext.Value{op.Current}
		switch {
		case !guards(op):
		case op.Type == "boolean":
			all = append(all, jsontext.Value("true"), jsontext.Value("false"))
		default:
			for _, c := range op.Choices {
				all = append(all, quoted(c.Value))
			}
		}
		for _, v := range all {
			said, is := text(v)
			if !is {
				said = string(v)
			}
			if a.refuses[op.ID+said] && !op.Is(v) || guards(op) && !n.Only && (autonomyOf(op, v).Edits == Never || autonomyOf(op, v).Commands == Never) && !op.Is(v) {
				continue
			}
			if try(i+1, with(values, op.ID, v)) {
				return true
			}
		}
		return false
	}
	return try(0, nil)
}

// Whatever an agent does with its options, each is restored at most once and to a value that is offered. What the
// user chose remains wanted until it can be set. The space's need is met where the options allow it, and wanted
// values are set again when it no longer applies. All of this survives a restart.
func TestOptionsAreWhatIsWantedAndNeeded(t *testing.T) {
	t.Parallel()
	var restored, wishes, heldBack, met, unmet int
	for n := range uint64(1500) {
		rnd := rand.New(rand.NewPCG(*seedFlag, n))
		name := fmt.Sprintf("seed %d, case %d", *seedFlag, n)
		value := func() string { return []string{"1", "2", "3", "gone"}[rnd.IntN(4)] }
		wanted := Values{"a": quoted(value()), "b": quoted(value()), "c": quoted(value()), "removed": quoted("1")}
		o := New(maps.Clone(wanted))
		for range 1 + rnd.IntN(3) {
			before := maps.Clone(o.wanted)
			a := newAgent(rnd, false)
			o.Opened(acp.SessionResult{ConfigOptions: a.list()})
			if rnd.IntN(8) == 0 { // the session is canceled
				if o.Next(map[string]bool{}); fmt.Sprint(o.wanted) != fmt.Sprint(before) {
					t.Fatalf("%s: %v is wanted of a session that was given up, before it was %v", name, o.wanted, before)
				}
				o.Closed()
				continue
			}
			restoredNow := a.settle(t, &o, name)
			restored += restoredNow
			o.Settle()
			if _, err := o.Offer(Offered{AgentID: "robin"}, true); err != nil {
				t.Fatal(err)
			}
			for id, want := range before {
				if o.chosen[id] != nil && same(o.chosen[id], want) && !same(o.wanted[id], want) && o.Find(id) != nil && !o.Find(id).Offers(want) {
					t.Fatalf("%s: the user's %s = %s is forgotten", name, id, want)
				}
			}
			for _, w := range o.wishes {
				if op := o.Find(w.ID); op != nil && op.Is(w.Value) || !same(o.wanted[w.ID], w.Value) {
					t.Fatalf("%s: %+v is wished, %v wanted", name, w, o.wanted)
				}
			}
			wishes += len(o.wishes)
			wish := maps.Clone(o.wanted)

			need := Need{Edits: rnd.IntN(2) == 0, Commands: rnd.IntN(2) == 0, Only: rnd.IntN(2) == 0}
			if need.Only {
				need.Edits, need.Commands = true, true
			}
			a.quiet = true
			o.Require(need, false)
			a.settle(t, &o, name)
			switch left := o.Unmet(); {
			case left != Need{} && a.possible(&o, need):
				t.Fatalf("%s: %+v isn't met by %s", name, need, a.list())
			case left != Need{}:
				unmet++
			case len(o.held) > 0:
				met++
			}
			heldBack += len(o.held)
			stored, ok := Stored(o.stored, "robin")
			if !ok || fmt.Sprint(stored.wanted) != fmt.Sprint(o.wanted) || fmt.Sprint(stored.chosen) != fmt.Sprint(o.chosen) || fmt.Sprint(stored.wishes) != fmt.Sprint(o.wishes) {
				t.Fatalf("%s: after a restart %v is wanted, %v chosen, %v wished; before it were %v, %v, %v", name, stored.wanted, stored.chosen, stored.wishes, o.wanted, o.chosen, o.wishes)
			}
			o.Require(Need{}, false)
			a.settle(t, &o, name)
			if len(o.held) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(o.held)), func(id string) bool { return o.refused[id+"\x00"+string(o.wanted[id])] != "" }) {
				t.Fatalf("%s: %v is held without a need", name, o.held)
			}
			for id, want := range wish {
				if op := o.Find(id); op != nil && guards(op) && o.refused[id+"\x00"+string(want)] == "" && !op.Is(want) {
					t.Fatalf("%s: %s is %s after the need, was %s", name, id, op.Current, want)
				}
			}
			o.Closed()
		}
	}
	if restored < 500 || wishes < 500 || heldBack < 200 || met < 100 || unmet < 100 {
		t.Errorf("only %d options were restored, %d wishes kept, %d held, %d needs met, %d not", restored, wishes, heldBack, met, unmet)
	}
}

// An agent may change an option again right after its response, before the response is processed.
func TestReportThatIsYoungerThanAnAnswerStays(t *testing.T) {
	const modes = `{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"ask","name":"Ask"}]}`
	list := func(mode string) jsontext.Value {
		return jsontext.Value(`[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"` + mode + `","options":[{"value":"auto","name":"Auto"},{"value":"ask","name":"Ask"}]}]`)
	}
	for name, c := range map[string]struct {
		opened acp.SessionResult
		report func(*Options)
		answer jsontext.Value
		want   string
	}{
		"mode, nothing reported":      {acp.SessionResult{Modes: jsontext.Value(modes)}, func(*Options) {}, nil, `"ask"`},
		"mode, changed again":         {acp.SessionResult{Modes: jsontext.Value(modes)}, func(o *Options) { o.SetMode(jsontext.Value(`"auto"`)) }, nil, `"auto"`},
		"option, nothing reported":    {acp.SessionResult{ConfigOptions: list("auto")}, func(*Options) {}, list("ask"), `"ask"`},
		"option, changed again":       {acp.SessionResult{ConfigOptions: list("auto")}, func(o *Options) { o.SetConfig(list("auto")) }, list("ask"), `"auto"`},
		"option, reported beforehand": {acp.SessionResult{ConfigOptions: list("auto")}, func(o *Options) { o.SetConfig(list("ask")) }, list("ask"), `"ask"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := New(nil)
			o.Opened(c.opened)
			s := o.Setting(*o.Find("mode"), jsontext.Value(`"ask"`))
			c.report(&o)
			o.Took(s, c.answer)
			if got := string(o.Find("mode").Current); got != c.want {
				t.Errorf("the mode is %s, want %s", got, c.want)
			}
		})
	}
}

func TestSameChangeIsToldOnce(t *testing.T) {
	o := New(nil)
	o.Opened(acp.SessionResult{Modes: jsontext.Value(`{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"ask","name":"Ask"}]}`)})
	o.Require(Need{Edits: true, Commands: true}, false)
	for range 2 {
		s := o.Next(map[string]bool{})
		if s == nil {
			t.Fatal("nothing is set")
		}
		o.Took(s, nil)
		o.SetMode(jsontext.Value(`"auto"`)) // the user or the agent has changed it again
	}
	if got := o.Changes(); len(got) != 1 {
		t.Errorf("before one prompt it is told that %+v", got)
	}
}
