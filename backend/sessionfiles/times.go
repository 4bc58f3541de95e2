package sessionfiles

import (
	"math"
	"strconv"
	"strings"
	"time"

	"weft/backend/acp/scan"
)

// timeForms are how programs write a time. Without a zone it is UTC.
var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"}

// Millis returns a JSON value as unix ms: ISO 8601, or a unix time in s, ms, µs or ns. It returns 0 for anything else.
func Millis(v []byte) int64 {
	text := string(v)
	if s := Quoted(v); s != nil {
		text = strings.TrimSpace(string(s))
	}
	if text == "" {
		return 0
	}
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UnixMilli()
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || scan.Null(v) {
		return 0
	}
	for f > 1e11 && f < 1e20 { // the year 5138, in seconds
		f /= 1e3
	}
	if ms := math.Round(f * 1e3); ms > 0 && ms <= 1e14 {
		return int64(ms)
	}
	return 0
}
