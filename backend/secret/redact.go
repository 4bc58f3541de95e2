package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Hidden stands where a secret was.
const Hidden = "[secret]"

// shortest is the length, in bytes, below which a value is not looked for: taking every "1" out
// of a log would hide the log and not the value.
const shortest = 4

// Redactor takes known secrets out of texts. The zero value knows none; its methods may be called
// from any goroutine.
type Redactor struct {
	mu    sync.Mutex
	forms atomic.Pointer[[][]byte] // longest first
}

// Add makes a value known, in the forms in which it is written: as it is, in JSON, in an address,
// in base64, and without a scheme such as "Bearer" before it.
func (r *Redactor) Add(value string) {
	if r == nil {
		return
	}
	values := []string{value}
	if i := strings.LastIndexByte(value, ' '); i >= 0 && len(value)-i-1 >= 8 {
		values = append(values, value[i+1:])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var forms [][]byte
	if was := r.forms.Load(); was != nil {
		forms = slices.Clone(*was)
	}
	for _, v := range values {
		if len(v) < shortest {
			continue
		}
		inJSON, _ := json.Marshal(v)
		var plain bytes.Buffer
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v) // a string
		for _, form := range []string{
			v, string(inJSON[1 : len(inJSON)-1]), string(plain.Bytes()[1 : plain.Len()-2]), // without quotes and line end
			url.QueryEscape(v), url.PathEscape(v), base64.StdEncoding.EncodeToString([]byte(v)),
		} {
			if len(form) >= shortest && !slices.ContainsFunc(forms, func(f []byte) bool { return string(f) == form }) {
				forms = append(forms, []byte(form))
			}
		}
	}
	slices.SortStableFunc(forms, func(a, b []byte) int { return len(b) - len(a) })
	r.forms.Store(&forms)
}

// Bytes answers b without known secrets: b itself where there are none in it.
func (r *Redactor) Bytes(b []byte) []byte {
	if r == nil {
		return b
	}
	forms := r.forms.Load()
	if forms == nil {
		return b
	}
	for _, f := range *forms {
		if bytes.Contains(b, f) {
			b = bytes.ReplaceAll(b, f, []byte(Hidden))
		}
	}
	return b
}

// Text is Bytes for a string.
func (r *Redactor) Text(s string) string {
	if r == nil || r.forms.Load() == nil {
		return s
	}
	return string(r.Bytes([]byte(s)))
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
