package db

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient accepts data from agents, which is not always valid JSON.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Encode returns v as JSON for a column, NULL for a nil pointer.
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v, lenient)
	if string(b) == "null" {
		return nil, err
	}
	return b, err
}

// Decode reads the JSON of a column into v. NULL leaves v unchanged.
func Decode(b []byte, v any) error {
	if b == nil {
		return nil
	}
	return json.Unmarshal(b, v, lenient)
}

// TrimStart drops the rest of a character that was cut at the start of b. Texts are stored in pieces that may split
// characters.
func TrimStart(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// TrimEnd drops the first bytes of a character that was cut at the end of b.
func TrimEnd(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax-1; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			return b
		}
	}
	return b
}
