package secret

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// PrintedJSON is Printed for a JSON value, which stays one: secrets are taken out of strings only. v is returned as it is
// where it holds none. A value that is not well-formed becomes a string without its content.
func (r *Redactor) PrintedJSON(v []byte) []byte {
	if out := r.Printed(v); len(out) == len(v) && (len(v) == 0 || &out[0] == &v[0]) {
		return v
	}
	loose := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	var to bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(v), loose...), jsontext.NewEncoder(&to, loose...)
	for end := int64(len(bytes.TrimRight(v, " \t\r\n"))); dec.InputOffset() < end; {
		token, err := dec.ReadToken()
		if err == nil && token.Kind() == '"' {
			token = jsontext.String(r.PrintedText(strings.Clone(token.String())))
		}
		if err == nil {
			err = enc.WriteToken(token)
		}
		if err != nil {
			return []byte(`"` + Hidden + `"`)
		}
	}
	return bytes.TrimSpace(to.Bytes())
}
