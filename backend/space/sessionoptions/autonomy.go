package sessionoptions

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/base/lazyregexp"
)

// Degree is how much an agent does on its own with one kind of action: file changes or commands.
type Degree int8

// The degrees, from the most to the least restrictive.
const (
	Unsaid Degree = iota // the option doesn't say
	Never                // the agent doesn't do it
	Asks                 // the agent asks first
	Acts                 // the agent does it without asking, at least sometimes
)

// Autonomy is what an agent does without asking in a mode, according to the mode's own description.
type Autonomy struct{ Edits, Commands Degree }

// The most common autonomies.
var (
	readsOnly   = Autonomy{Never, Never}
	asksBefore  = Autonomy{Asks, Asks}
	editsFreely = Autonomy{Acts, Asks}
	actsFreely  = Autonomy{Acts, Acts}
)

// Kind returns the meaning of the current mode for the interface and the API: "reads", "asks", "edits" (changes files
// without asking, asks before commands) or "acts". What an agent doesn't say counts as acting without asking.
func (a Autonomy) Kind() string {
	switch a = a.certain(); {
	case a.Commands == Acts:
		return "acts"
	case a.Edits == Acts:
		return "edits"
	case a.Edits == Never && a.Commands == Never:
		return "reads"
	}
	return "asks"
}

// certain replaces Unsaid with the worst case.
func (a Autonomy) certain() Autonomy {
	if a.Edits == Unsaid {
		a.Edits = Acts
	}
	if a.Commands == Unsaid {
		a.Commands = Acts
	}
	return a
}

// and returns the effect of two options together: each may restrict what the other doesn't mention, but not what the
// other lets the agent do.
func (a Autonomy) and(b Autonomy) Autonomy {
	return Autonomy{max(a.Edits, b.Edits), max(a.Commands, b.Commands)}
}

// Need is what a space requires of its agent: to ask before file changes or commands. Only means that the agent
// needn't be able to do these things at all, as in a read-only space: a mode that only reads is enough.
type Need struct{ Edits, Commands, Only bool }

// None reports whether nothing is required.
func (n Need) None() bool { return n == Need{} }

// Met reports whether an autonomy meets the need.
func (n Need) Met(a Autonomy) bool {
	a = a.certain()
	return (!n.Edits || a.Edits != Acts) && (!n.Commands || a.Commands != Acts)
}

// maxModes is how many choices a mode-like option may have. One with more is a list of models.
const maxModes = 100

// guards reports whether an option decides what the agent does without asking: its mode, or a switch such as
// "auto-approve".
func guards(op *acp.Option) bool {
	return len(op.Choices) <= maxModes && (isMode(*op) || guarding.get([3]string{op.Type, op.ID + " " + op.Category + " " + op.Name, op.Description}, func() bool {
		words := spoken(op.ID + " " + op.Category + " " + op.Name + ". " + op.Description)
		return aboutPermission.MatchString(words) || op.Type == "boolean" && sentence(words) != Autonomy{}
	}))
}

var aboutPermission = lazyregexp.New(`\b(permissions?|approv(e|es|als?|ed|ing)|yolo|autonomy|allow all|trust (all|mode)|auto (accept|approve|run|edit|mode)|confirmations?|sandbox\w*)\b`)

// autonomyOf returns what the agent does without asking if an option has this value.
func autonomyOf(op *acp.Option, value jsontext.Value) Autonomy {
	if op.Type == "boolean" {
		return switched(op.Name+". "+op.Description+". "+op.ID, string(value) == "true")
	}
	v, _ := text(value)
	i := slices.IndexFunc(op.Choices, func(c acp.Choice) bool { return c.Value == v })
	if i < 0 { // the current value isn't offered, so its meaning is unknown
		return actsFreely
	}
	c := op.Choices[i]
	if on := strings.ToLower(c.Value); len(op.Choices) == 2 && !isMode(*op) && (on == "on" || on == "off" || on == "true" || on == "false" || on == "enabled" || on == "disabled") {
		if a := read(c.Value, c.Name, c.Description); a != (Autonomy{}) {
			return a
		}
		return switched(op.Name+". "+op.Description+". "+op.ID, on == "on" || on == "true" || on == "enabled")
	}
	return read(c.Value, c.Name, c.Description)
}

// switched returns the meaning of a switch that is on or off.
func switched(words string, on bool) Autonomy {
	a := read("", "", words)
	if a == (Autonomy{}) || on {
		return a
	}
	switch a { // off means the opposite
	case asksBefore, readsOnly:
		return actsFreely
	case editsFreely:
		return Autonomy{Asks, Unsaid}
	}
	return asksBefore
}

// known are modes of published agents whose description doesn't match what the agent does, by id and description.
var known = map[[2]string]Autonomy{
	// Older adapters of Claude Code. It asks before every change and every command that isn't allowed in its own settings.
	{"default", "standard behavior, prompts for dangerous operations"}: asksBefore,
}

// named are modes whose id or name says what they mean if the description doesn't.
var named = map[string]Autonomy{
	"always ask": asksBefore, "manual": asksBefore, "approve": asksBefore, "approval": asksBefore, "supervised": asksBefore, "confirm": asksBefore,
	"plan": readsOnly, "plan mode": readsOnly, "planner": readsOnly, "planning": readsOnly, "read only": readsOnly, "readonly": readsOnly, "chat": readsOnly, "spec": readsOnly,
	"accept edits": editsFreely, "auto edit": editsFreely, "auto accept edits": editsFreely, "auto accept": editsFreely,
	"auto": actsFreely, "brave": actsFreely, "never": actsFreely,
}

// Patterns for descriptions in the form of [spoken], in order of precedence.
var (
	// Nothing happens without asking.
	negated = lazyregexp.New(`\b(nothing|no (\w+ )?(tools?|commands?|changes|edits|actions?)|never|not|dont|doesnt|wont|cant|cannot) (\w+ ){0,4}without (\w+ ){0,2}(ask(s|ed|ing)?|approvals?|confirmations?|permissions?|prompt(s|ed|ing)?)\b`)
	// Only reading is approved automatically.
	approvesReading = lazyregexp.New(`\bauto\w* (\w+ )?(only (the )?(reads?|reading|read only)\b|(reads?|reading|read only) (\w+ )?only\b)`)
	// The agent asks about some things only, or something other than the user decides.
	asksInPart = lazyregexp.New(`\bonly (asks?|prompts?|confirms?|requires?)\b|\b(ask|prompt|confirm|approv|permission|confirmation)(s|al|ing)?( you| the user)?( only)? (for|before|when|if|on|of) (\w+ ){0,4}(risk\w*|danger\w*|unsafe|destructive|sensitive|critical|potentially|unusual|outside|leaving)\b` +
		`|\bonly (for|before|when|if|on) (\w+ )?(risk\w*|danger\w*|unsafe|destructive|sensitive|critical|unusual)\b|\bclassifier\b|\bhandles? (the |all )?(permissions?|approvals?)\b|\bdecides? (by itself|on its own|what|when|whether)\b|\b(low|medium|high) risk\b|\b(safe|trusted|known) (operations|actions|commands|tools)\b|\bsmart\w*\b|\brefuses? instead\b|\bdeny if not\b|\bdenies (\w+ )?not\b|\b(most|some)\b`)
	// Things happen without asking.
	acting = lazyregexp.New(`\bauto(mat\w+|nom\w+|pilot|run\w*|execut\w+)?\b|\bbypass\w*|\byolo\b|\bfull(y)? (access|control|auto\w*)\b|\bunrestricted\b|\bdanger\w*|\bunattended\b|\bheadless\b|\bpre ?approve[sd]\b` +
		`|\b(no|never|without|skip\w*|dont|do not|doesnt|does not|disables?) (\w+ ){0,2}(ask(s|ing|ed)?|prompt(s|ing)?|approvals?|confirm(s|ing|ations?)?|permissions?|checks|questions)\b` +
		`|\b(allow|approve|accept|trust)(s|ing)? (\w+ )?(all|everything|every|any|edits?|changes|writes|file edits?|tools?|commands?)\b`)
	ofEdits = lazyregexp.New(`\b(edits?|editing|(file|code) (changes|writes|modifications)|changes to files|writes)\b`)
	ofMore  = lazyregexp.New(`\b(tools?|commands?|shell|bash|terminal|actions?|operations|execut\w+|requests?|everything|calls?)\b`)
	// Works on files only, although it is called a tool.
	ofFiles = lazyregexp.New(`\b(file )?(edit|editing|write) (tools?|operations?|actions?|requests?|calls?)\b|\bfile operations?\b`)
	// The agent asks about everything.
	asking = lazyregexp.New(`\b(ask|prompt|confirm|check)(s|ing)?( (you|the user))?( for (approval|permission|confirmation)| first| always| each| every\w*| before| to (approve|confirm|allow))|\b(always|must) (ask|prompt|confirm)s?\b|\b(requir|need|await|want)(e|es|s|ing)? (\w+ )?(approvals?|confirmations?|permissions?)\b|\bwaits for (\w+ )?(approval|confirmation|permission)\b|\bmanual(ly)? (approv|confirm)\w*|\b(approve|confirm) (each|every)\b|\bwith (your |user )?(approval|confirmation|permission)\b`)
	// The agent only reads.
	reading    = lazyregexp.New(`\b(reads? only|only reads?|(chat|analy[sz]e|answers?) only|just chat)\b|\b(no|without|not) (\w+ ){0,2}(tool (execution|calls?|use)|tools)\b`)
	notEditing = lazyregexp.New(`\b(no|not|never|without|disallow\w*|cant|cannot|doesnt|dont|disable\w*|forbid\w*|block\w*|den(y|ies)) (\w+ ){0,3}(modif\w+|edit(s|ing)?|chang(e|es|ing)|writ(e|es|ing))\b`)
	notRunning = lazyregexp.New(`\b(no|not|never|without|disallow\w*|cant|cannot|doesnt|dont|disable\w*|forbid\w*|block\w*|den(y|ies)) (\w+ ){0,5}(run(ning)?|execut\w+|commands?|shell)\b`)
	carriesOut = lazyregexp.New(`\b(execut\w+|implement\w*|run(s|ning)?|appl(y|ies|ying))\b`)
)

// read is a cached [readWords]. It is safe for concurrent use.
func read(id, name, description string) Autonomy {
	return readings.get([3]string{id, name, description}, func() Autonomy { return readWords(id, name, description) })
}

// Results are cached: the same texts are read whenever an agent reports its options.
var (
	readings memo[Autonomy]
	guarding memo[bool]
)

// memo caches values by three texts. It is safe for concurrent use.
type memo[T any] struct {
	mu sync.Mutex
	by map[[3]string]T
}

const maxMemo = 4096

func (m *memo[T]) get(key [3]string, from func() T) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.by[key]
	if ok {
		return v
	}
	if m.by == nil || len(m.by) >= maxMemo {
		m.by = map[[3]string]T{}
	}
	v = from()
	m.by[key] = v
	return v
}

// readWords derives the meaning of a mode from its id, name and description; zero if they don't say. If the result is
// too strict, Weft chooses another mode or asks the user. If it is too lax, the agent acts without asking. So in
// doubt a mode says nothing, or acts.
func readWords(id, name, description string) Autonomy {
	id = id[strings.LastIndexByte(id, '#')+1:]
	if a, ok := known[[2]string{strings.ToLower(id), strings.ToLower(strings.TrimSpace(description))}]; ok {
		return a
	}
	words := spoken(description)
	if a := sentence(words); a != (Autonomy{}) {
		return a
	}
	for _, s := range []string{spoken(id), spoken(name)} {
		a := named[s]
		if words == "" && (s == "ask" || s == "on request" || s == "untrusted" || s == "suggest") { // with a description, these may be modes for questions only
			a = asksBefore
		}
		if a == (Autonomy{}) {
			a = sentence(s)
		}
		if a == readsOnly && carriesOut.MatchString(words) {
			continue // a plan that is carried out too
		}
		if a != (Autonomy{}) {
			return a
		}
	}
	return Autonomy{}
}

// sentence derives the meaning of a text in the form of [spoken].
func sentence(s string) Autonomy {
	switch {
	case s == "":
		return Autonomy{}
	case negated.MatchString(s), approvesReading.MatchString(s):
		return asksBefore
	case asksInPart.MatchString(s):
		return actsFreely
	case acting.MatchString(s):
		if rest := ofFiles.ReplaceAllString(s, "edits"); ofEdits.MatchString(rest) && !ofMore.MatchString(rest) {
			return editsFreely
		}
		return actsFreely
	case asking.MatchString(s):
		return asksBefore
	case reading.MatchString(s):
		return readsOnly
	}
	var a Autonomy
	if notEditing.MatchString(s) {
		a.Edits = Never
		if notRunning.MatchString(s) {
			a.Commands = Never
		}
	}
	return a
}

// spoken returns a text in lower case, with its words separated by single spaces. It also splits words joined by
// signs or capital letters ("acceptEdits", "auto-edit").
func spoken(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range s {
		switch {
		case r == '\'' || r == '’':
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '&':
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				b.WriteByte(' ')
			}
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte(' ')
		}
		last = r
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
