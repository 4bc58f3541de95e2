package secret

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// PrintedJSON is Printed for a JSON value, which stays one: secrets are taken out of strings only. v is returned as it
// is where it holds none. A value that is not well-formed becomes a string without its content.
func (r *Redactor) PrintedJSON(v []byte) []byte {
	found := true
	if out := r.Printed(v); len(out) == len(v) && (len(v) == 0 || &out[0] == &v[0]) {
		if !r.Any() || !bytes.Contains(v, []byte(`\u`)) && !bytes.Contains(v, []byte(`\/`)) && (!r.escapes() || !bytes.Contains(v, []byte(`\\`))) {
			return v
		}
		found = false // in this form; but letters may be written as numbers, slashes with another one before them, and what is escaped once more
	}
	loose := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	var to bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(v), loose...), jsontext.NewEncoder(&to, loose...)
	for end := int64(len(bytes.TrimRight(v, " \t\r\n"))); dec.InputOffset() < end; {
		token, err := dec.ReadToken()
		if err == nil && token.Kind() == '"' {
			text := strings.Clone(token.String())
			out := r.PrintedText(text)
			found = found || out != text
			token = jsontext.String(out)
		}
		if err == nil {
			err = enc.WriteToken(token)
		}
		if err != nil && !found {
			return v
		}
		if err != nil {
			return []byte(`"` + Hidden + `"`)
		}
	}
	if !found {
		return v
	}
	return bytes.TrimSpace(to.Bytes())
}
