package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"weft/backend/base/lazyregexp"
)

// Hidden is where a secret was.
const Hidden = "[secret]"

const (
	// shortest is the length, in bytes, below which a value is not looked for: taking every "1" out
	// of a log would hide the log and not the value.
	shortest = 4
	// shortestPrinted is the same for what tools print, which the user and the agent read: a password such
	// as "test" would make that unreadable.
	shortestPrinted = 8
)

// Redactor takes known secrets out of texts. Its cost does not grow with how many it knows. The zero value knows
// none; its methods may be called from any goroutine, and on nil, which knows none.
type Redactor struct {
	mu      sync.RWMutex
	all     *index // nil until there is one
	printed *index // of those that are looked for in what tools print
	escaped bool   // some have a backslash, which is written as two in JSON
}

// Add makes a value known, in the forms in which it is written: as it is, in JSON, in an address,
// in base64, by itself or within a longer text, and without a scheme such as "Bearer" before it.
func (r *Redactor) Add(value string) { r.change(value, (*index).add) }

// Remove takes back one Add of the same value: a value that was added twice stays known.
func (r *Redactor) Remove(value string) { r.change(value, (*index).remove) }

func (r *Redactor) change(value string, change func(*index, string)) {
	if r == nil || len(value) < shortest {
		return
	}
	all := forms(value)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all, r.printed = newIndex(), newIndex()
	}
	for _, form := range all {
		change(r.all, form)
		if len(value) >= shortestPrinted {
			change(r.printed, form)
		}
	}
	r.escaped = r.escaped || slices.ContainsFunc(all, func(form string) bool { return strings.Contains(form, `\`) })
}

// escapes reports whether values may be written with backslashes.
func (r *Redactor) escapes() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.escaped
}

// What is not escaped in an address differs between languages.
var (
	keptNone   = strings.NewReplacer()
	keptSlash  = strings.NewReplacer("%2F", "/")
	keptScript = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")
	lowerHex   = lazyregexp.New(`%[0-9A-F]{2}`)
)

// forms are the ways in which a value is written.
func forms(value string) (forms []string) {
	values := []string{value}
	if i := strings.LastIndexByte(value, ' '); i >= 0 && len(value)-i-1 >= 8 {
		values = append(values, value[i+1:])
	}
	for _, v := range values {
		inJSON, _ := json.Marshal(v)
		var plain bytes.Buffer
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v)                                // a string
		once := string(plain.Bytes()[1 : plain.Len()-2]) // without quotes and line end
		written := []string{
			v, string(inJSON[1 : len(inJSON)-1]), once, nested(once), ascii(once), nested(ascii(once)),
			html.EscapeString(v), strings.ReplaceAll(html.EscapeString(v), "&#34;", "&quot;"),
			url.PathEscape(v), base64.StdEncoding.EncodeToString([]byte(v)),
		}
		for _, address := range []string{url.QueryEscape(v), strings.ReplaceAll(url.QueryEscape(v), "+", "%20")} {
			for _, kept := range []*strings.Replacer{keptNone, keptSlash, keptScript} { // by Go and Java, by Python, by JavaScript
				written = append(written, kept.Replace(address), lowerHex.ReplaceAllStringFunc(kept.Replace(address), strings.ToLower))
			}
		}
		if len(v) >= shortestPrinted {
			written = append(written, within(base64.RawStdEncoding, v)...)
			written = append(written, within(base64.RawURLEncoding, v)...)
		}
		for _, form := range written {
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

// ascii is a text in JSON as some write it: with numbers for all other letters.
func ascii(inJSON string) string {
	var b strings.Builder
	for _, r := range inJSON {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// nested is a text in JSON in a text in JSON.
func nested(inJSON string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(inJSON)
}

// within returns what a value is in base64 as a part of a longer text, such as "user:password": the characters that are
// made of it alone, for each of the three places at which it can begin.
func within(e *base64.Encoding, v string) (forms []string) {
	for before := range 3 {
		text := make([]byte, before, before+len(v)+2)
		text = append(append(text, v...), 0, 0)
		forms = append(forms, e.EncodeToString(text)[(before*8+5)/6:(before+len(v))*8/6])
	}
	return forms
}

// Bytes returns b without known secrets: b itself where there are none in it.
func (r *Redactor) Bytes(b []byte) []byte {
	if r == nil {
		return b
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.all == nil {
		return b
	}
	return r.all.replace(b)
}

// Printed is Bytes for what a tool has printed: values of less than 8 bytes stay in it.
func (r *Redactor) Printed(b []byte) []byte {
	if r == nil {
		return b
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.printed == nil {
		return b
	}
	return r.printed.replace(b)
}

// Knows reports whether value is a known secret that is looked for in what tools print.
func (r *Redactor) Knows(value string) bool {
	if r == nil {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.printed != nil && r.printed.count[value] > 0
}

// Text is Bytes for a string.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	return same(s, r.Bytes(view(s)))
}

// PrintedText is Printed for a string.
func (r *Redactor) PrintedText(s string) string {
	if r == nil {
		return s
	}
	return same(s, r.Printed(view(s)))
}

// view returns the bytes of s without copying them: most texts have no secret, and some are large. They may only be
// read.
func view(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s)) //nolint:gosec // only read
}

// same returns out, which was made from s, as a string: without a copy where nothing but the end was taken away.
func same(s string, out []byte) string {
	if b := view(s); len(out) > 0 && len(b) > 0 && &out[0] == &b[0] {
		return s[:len(out)]
	}
	return string(out)
}

// Writer redacts each write to w by itself; for logs, which write a line at a time.
func (r *Redactor) Writer(w io.Writer) io.Writer { return &writer{r, w} }

type writer struct {
	r *Redactor
	w io.Writer
}

func (w *writer) Write(b []byte) (int, error) {
	if _, err := w.w.Write(w.r.Bytes(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Any reports whether a secret is known that is looked for in what tools print.
func (r *Redactor) Any() bool {
	if r == nil {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.printed != nil && len(r.printed.count) > 0
}
