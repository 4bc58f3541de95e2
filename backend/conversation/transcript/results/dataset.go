package results

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"weft/backend/base/lazyregexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// dataset summarizes structured data that a tool returned: a sentence in it, its lists, or its first members.
type dataset struct {
	own         string // the tool's own sentence in the data
	description string // a description of the data: "2 of 40 tracks", "name: Kettle, price: 30"
	n           *int   // the number of results
	scalar      bool
}

var (
	// ownNames are the names of members that hold a sentence.
	ownNames = []string{"summary", "message", "msg"}
	// responseFields are the names of members about the response itself rather than its subject.
	responseFields = []string{"success", "ok", "error", "errors", "isError", "is_error", "status", "code", "query", "type", "kind", "version", "limit", "offset", "page", "cursor", "warnings"}
	// mainNames are the names of a list that is the result, whatever the other members.
	mainNames = []string{"results", "items", "data", "matches", "hits", "entries", "records", "rows", "documents", "files"}
	// total matches names of a total: "total", "totalTracks", "track_count", "numFound".
	total = lazyregexp.New(`^(?:total|num|number_?of)_?([a-z]*?)(?:_?count)?$|^([a-z]*?)_?count$|^found$`)
	// opaqueID matches a long word with a digit in it, such as "msg_OOLEEJME5ISLSW6JT5KD".
	opaqueID = lazyregexp.New(`^"[\w-]{13,}"$`)
)

// dataOf summarizes a value that a tool returned.
func dataOf(v jsontext.Value, depth int) (d dataset) {
	switch {
	case depth > maxDepth || len(v) == 0:
	case v[0] == '[':
		_, n := fieldsOf(v)
		d.n, d.description = &n, amount(n, "")
	case v[0] == '{':
		d.object(v, depth)
	case v[0] == '"':
		var s string
		if json.Unmarshal(v, &s, lenient) == nil {
			d.description, d.scalar = brief(s), true
		}
	case v[0] == 'n':
		d.description, d.scalar = fault.Text("No result"), true
	default:
		d.description, d.scalar = string(v), true
	}
	return d
}

func (d *dataset) object(v jsontext.Value, depth int) {
	members, n := fieldsOf(v)
	if n == 0 {
		d.description = fault.Text("No result")
		return
	}
	var lists, objects, scalars, totals []member
	full := false
	for _, f := range members {
		switch {
		case slices.Contains(responseFields, f.name):
		case f.value[0] == '[':
			lists, full = append(lists, f), full || len(f.value) > 2
		case f.value[0] == '{':
			objects = append(objects, f)
		case f.value.Kind() == '0' && f.value[0] != '-' && total.MatchString(strings.ToLower(f.name)):
			totals = append(totals, f)
		case f.value.Kind() != 'n' && !slices.Contains(ownNames, f.name):
			scalars = append(scalars, f)
		}
	}
	main := slices.IndexFunc(lists, func(f member) bool { return slices.Contains(mainNames, f.name) })
	if main >= 0 {
		lists = lists[main : main+1]
	}
	all := totalOf(totals, lists)
	switch {
	case main >= 0, len(lists) > 0 && all != nil, full && len(scalars) < 4, len(lists) == 1 && len(scalars)+len(totals) < 4: // otherwise the object has a subject, and the lists are details
		d.describeLists(lists, all)
	case len(lists) > 1 && len(scalars) == 0:
		d.describeLists(lists, nil)
	case all != nil && len(scalars)+len(objects) == 0:
		d.n, d.description = all, amount(*all, "")
	case len(objects) == 1 && len(scalars) == 0:
		*d = dataOf(objects[0].value, depth+1)
	default:
		d.description = describeMembers(members)
	}
	d.ownSentence(members)
}

// totalOf returns the total for a list, taken from a number next to it, or nil.
func totalOf(totals, lists []member) *int {
	for _, f := range totals {
		m := total.FindStringSubmatch(strings.ToLower(f.name))
		of := strings.TrimSuffix(m[1]+m[2], "s")
		if plain := of == "" || of == "found" || of == "result" || of == "hit" || of == "item"; plain || len(lists) == 1 && of == strings.TrimSuffix(strings.ToLower(lists[0].name), "s") {
			return number(string(f.value))
		}
	}
	return nil
}

// describeLists describes the lists by their lengths. The first one is counted.
func (d *dataset) describeLists(lists []member, all *int) {
	var parts []string
	for _, f := range lists[:min(len(lists), 3)] {
		_, n := fieldsOf(f.value)
		if d.n == nil {
			d.n = &n
		}
		if len(lists) > 1 && !strings.HasSuffix(f.name, "s") { // "2 added, 1 removed"
			parts = append(parts, clip.JSON(fmt.Sprintf("%d %s", n, f.name), 40))
			continue
		}
		parts = append(parts, amount(n, f.name))
	}
	for i := range parts[1:] {
		parts[i+1] = strings.Replace(parts[i+1], "No ", "no ", 1)
	}
	d.description = strings.Join(parts, ", ")
	if len(lists) == 1 && all != nil && *all > *d.n {
		d.n, d.description = all, fmt.Sprintf("%d of %s", *d.n, amount(*all, lists[0].name))
	}
}

// ownSentence takes the object's own sentence.
func (d *dataset) ownSentence(members []member) {
	for _, name := range ownNames {
		var text string
		if d.own == "" && len(members) <= 6 && json.Unmarshal(named(members, name), &text, lenient) == nil && len(text) <= 300 && !looksLikeJSON(text) {
			d.own = brief(text)
			if d.n == nil {
				d.n = amountIn(d.own)
			}
		}
	}
}

// describeMembers describes an object by its first members in one line, the informative ones first.
func describeMembers(members []member) string {
	var parts []string
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(opaque(a), opaque(b)) })
	for _, f := range members {
		if slices.Contains(responseFields, f.name) || len(parts) == 3 {
			continue
		}
		var s string
		switch {
		case f.value[0] == '{' || f.value[0] == '[' || f.value[0] == 'n':
			continue
		case json.Unmarshal(f.value, &s, lenient) == nil:
			if s = strings.Join(strings.Fields(clip.JSON(s, 80)), " "); s == "" || looksLikeJSON(s) {
				continue
			}
		default:
			s = string(f.value)
		}
		parts = append(parts, clip.JSON(f.name, 40)+": "+s)
	}
	if len(parts) == 0 && (string(named(members, "success", "ok")) == "true") {
		return fault.Text("Succeeded")
	}
	return clip.JSON(strings.Join(parts, ", "), maxLine)
}

// opaque returns 1 for an id that tells a reader nothing, so that it sorts last, and otherwise 0.
func opaque(f member) int {
	if strings.HasSuffix(strings.ToLower(f.name), "id") && opaqueID.Match(f.value) && strings.ContainsAny(string(f.value), "0123456789") {
		return 1
	}
	return 0
}

// amount returns a count with the singular or plural of the list's name: "12 tracks", "1 pull request", "No results".
func amount(n int, name string) string {
	var b strings.Builder
	for i, r := range name {
		if r == '_' || r == '-' || unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	noun := clip.JSON(strings.TrimSpace(b.String()), 40)
	if !strings.HasSuffix(noun, "s") || strings.HasPrefix(noun, "result") {
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
