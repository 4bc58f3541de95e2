package results

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"weft/backend/lazyregexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
	"weft/backend/fault"
)

// dataset is what a value comes to that a tool returned as its data.
type dataset struct {
	own    string // a sentence of the tool's own in it
	come   string // "12 tracks", "name: Kettle, price: 30"
	n      *int   // how many results there are
	of     int    // how many of them are in it, -1 if that is not known
	noun   string // what they are, "" if that is not known
	scalar bool
}

// Names by which tools tell what they return.
var (
	listNames = []string{"results", "items", "data", "matches", "hits", "entries", "records", "rows", "documents", "docs", "edges", "nodes", "values", "list", "objects", "elements", "files"}
	nestNames = []string{"data", "result", "results", "response", "payload", "hits", "page", "body", "output", "structuredContent"}
	ownNames  = []string{"summary", "message", "msg", "statusMessage", "status_message"}
	// aside are members that say something of the answer and nothing of what it is about.
	aside = []string{"success", "ok", "error", "errors", "isError", "is_error", "status", "code", "took", "timed_out", "query", "limit", "offset", "page", "cursor", "nextCursor", "next_cursor", "next_page_token", "nextPageToken", "hasMore", "has_more", "hasNextPage", "truncated", "type", "version", "schemaVersion", "timestamp", "requestId", "request_id", "kind", "object", "warnings", "suggestions", "columns", "headers", "facets"}
	// counts is the name of a number that tells how many of something there are: "total", "totalTracks", "track_count", "numFound".
	counts = lazyregexp.New(`^(?:total|num|number_?[Oo]f)_?([A-Za-z_]*)$|^([A-Za-z_]*?)_?[Cc]ount$|^(?:found|hits|matches)$`)
)

// dataOf reads a value that a tool returned.
func dataOf(v jsontext.Value, depth int) (d dataset) {
	d.of = -1
	switch {
	case depth > maxDepth || len(v) == 0:
	case v[0] == '[':
		_, n := fieldsOf(v)
		d.listed("", n)
	case v[0] == '{':
		d.object(v, depth)
	case v[0] == '"':
		var s string
		if json.Unmarshal(v, &s, lenient) == nil {
			d.come, d.scalar = brief(s), true
		}
	case v[0] == 'n':
		d.come, d.scalar = fault.Text("No result"), true
	default:
		d.come, d.scalar = string(v), true
	}
	return d
}

// listed takes a list for the result.
func (d *dataset) listed(name string, n int) {
	d.of, d.noun = n, nounOf(name)
	d.n = &n
}

func (d *dataset) object(v jsontext.Value, depth int) {
	list, n := fieldsOf(v)
	if n == 0 {
		d.come = fault.Text("No result")
		return
	}
	d.counted(list)
	d.mainList(list, depth)
	for _, name := range ownNames {
		var text string
		if d.own == "" && (name == "summary" || len(list) <= 6) && json.Unmarshal(named(list, name), &text, lenient) == nil && len(text) <= 300 && !looksLikeJSON(text) {
			d.own = brief(text)
			if d.n == nil {
				d.n = amountIn(d.own)
			}
		}
	}
	d.say(list)
}

// counted takes how much there is, as an object says it, where it is of what it lists, or of results.
func (d *dataset) counted(list []member) {
	for _, f := range list {
		m := counts.FindStringSubmatch(f.name)
		if m == nil {
			continue
		}
		v := f.value
		if v[0] == '{' { // {"total": {"value": 12, "relation": "eq"}}
			v = named(membersOf(v), "value")
		}
		n, err := strconv.Atoi(string(v))
		noun := nounOf(strings.TrimSuffix(strings.TrimSuffix(m[1]+m[2], "Count"), "_count"))
		if err == nil && n >= 0 && (len(list) <= 3 && noun == "results" || lists(list, noun)) {
			d.n, d.noun = &n, noun
			return
		}
	}
}

// lists reports whether an object has a list of what a noun says, or one where either says nothing.
func lists(list []member, noun string) bool {
	return slices.ContainsFunc(list, func(f member) bool {
		return (f.value[0] == '[' || f.value[0] == '{') && (noun == "results" || rank(f.name) < len(listNames) || noun == nounOf(f.name))
	})
}

// mainList finds the list that is the result, in the object or in one that is in it.
func (d *dataset) mainList(list []member, depth int) {
	var all []member
	scalars, full, objects := 0, false, false
	for _, f := range list {
		switch {
		case slices.Contains(aside, f.name):
		case f.value[0] == '[':
			all, full = append(all, f), full || len(f.value) > 2
		case f.value[0] == '{':
			objects = true
		case !slices.Contains(ownNames, f.name) && (d.n == nil || !counts.MatchString(f.name)):
			scalars++
		}
	}
	slices.SortStableFunc(all, func(a, b member) int { return rank(a.name) - rank(b.name) })
	if len(all) > 1 && !full && scalars > 0 && d.n == nil {
		return // what is empty is not what it is about
	}
	if len(all) > 0 && (rank(all[0].name) < len(listNames) || d.n != nil || scalars <= 3) {
		_, n := fieldsOf(all[0].value)
		told := d.n
		d.listed(all[0].name, n)
		switch {
		case told != nil:
			if d.n = told; *told < n {
				d.of = -1
			}
		case len(all) > 1 && rank(all[0].name) == len(listNames):
			d.several(all)
		}
		return
	}
	if !objects {
		return
	}
	for _, name := range nestNames {
		if inner := named(list, name); len(inner) > 0 && inner[0] == '{' {
			in := dataOf(inner, depth+1)
			if d.n == nil {
				d.n = in.n
			}
			if in.n != nil {
				d.of, d.noun = in.of, in.noun
			}
			d.own, d.come = in.own, in.come
			return
		}
	}
}

// several says of an object with more lists than one how long each is; the first is what is counted.
func (d *dataset) several(lists []member) {
	var parts []string
	for i, f := range lists {
		if i == 3 {
			break
		}
		_, n := fieldsOf(f.value)
		part := amountOf(n, nounOf(f.name))
		if n == 0 && i > 0 {
			part = "n" + part[1:]
		}
		parts = append(parts, part)
	}
	d.come = strings.Join(parts, ", ")
}

func rank(name string) int {
	if i := slices.Index(listNames, name); i >= 0 {
		return i
	}
	return len(listNames)
}

// say makes a line of an object, where nothing in it is one.
func (d *dataset) say(list []member) {
	if d.own != "" || d.come != "" {
		return
	}
	if d.n != nil {
		d.come = d.amount()
		return
	}
	var parts []string
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b member) int { return cmp.Compare(opaque(a), opaque(b)) })
	for _, f := range list {
		if slices.Contains(aside, f.name) || len(parts) == 3 {
			continue
		}
		var s string
		switch {
		case f.value[0] == '{' || f.value[0] == '[' || f.value[0] == 'n':
			continue
		case json.Unmarshal(f.value, &s, lenient) == nil:
			if s = strings.Join(strings.Fields(clip.JSON(s, 80)), " "); s == "" || strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
				continue
			}
		default:
			s = string(f.value)
		}
		parts = append(parts, clip.JSON(f.name, 40)+": "+s)
	}
	switch {
	case len(parts) > 0:
		d.come = clip.JSON(strings.Join(parts, ", "), maxLine)
	case string(named(list, "success")) == "true" || string(named(list, "ok")) == "true":
		d.come = fault.Text("Succeeded")
	}
}

// opaque is 1 for an id that tells a reader nothing, so that it comes last, and else 0.
func opaque(f member) int {
	if len(f.value) > 14 && opaqueID.Match(f.value) && (f.name == "id" || strings.HasSuffix(f.name, "Id") || strings.HasSuffix(f.name, "_id") || strings.Contains(strings.ToLower(f.name), "uuid")) {
		return 1
	}
	return 0
}

// opaqueID matches a long word with a digit in it, such as "msg_OOLEEJME5ISLSW6JT5KD".
var opaqueID = lazyregexp.New(`^"[\w-]*[0-9][\w-]*"$`)

// amount is what is counted, in words: "12 tracks", "8 of 120 tracks", "No tracks".
func (d *dataset) amount() string {
	if d.of >= 0 && d.of < *d.n {
		return fmt.Sprintf("%d of %s", d.of, amountOf(*d.n, d.noun))
	}
	return amountOf(*d.n, d.noun)
}

// line is what to say of the value, "" if nothing can be said.
func (d *dataset) line() string {
	switch {
	case d.own != "":
		return d.own
	case d.come == "" && d.n != nil:
		return d.amount()
	}
	return d.come
}

// nounOf makes words of a member's name: "pullRequests" is "pull requests".
func nounOf(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '_' || r == '-':
			b.WriteByte(' ')
		case unicode.IsUpper(r) && i > 0:
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsLetter(r):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	noun := strings.TrimSpace(b.String())
	switch noun {
	case "", "results", "data", "list", "values", "edges", "nodes", "hits", "found", "count", "result", "docs", "objects", "elements", "hit", "output", "response", "content", "body":
		return "results"
	}
	if !strings.HasSuffix(noun, "s") {
		noun += "s"
	}
	return clip.JSON(noun, 40)
}

func amountOf(n int, noun string) string {
	if noun == "" {
		noun = "results"
	}
	switch n {
	case 0:
		return "No " + noun
	case 1:
		return "1 " + singular(noun)
	}
	return strconv.Itoa(n) + " " + noun
}

func singular(noun string) string {
	for _, end := range [][2]string{{"ies", "y"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"sses", "ss"}, {"ss", "ss"}, {"s", ""}} {
		if rest, ok := strings.CutSuffix(noun, end[0]); ok && rest != "" {
			return rest + end[1]
		}
	}
	return noun
}
