package sessionfiles

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// timeForms are how programs write a time. Without a zone it is UTC.
var timeForms = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
}

// Millis returns a JSON value as unix ms, see [Time]; 0 for anything else.
func Millis(v []byte) int64 {
	ms, _ := Time(v)
	return ms
}

// Time returns a JSON value as unix ms: ISO 8601, or a unix time in s, ms, µs or ns. ok is false for anything else.
func Time(v []byte) (ms int64, ok bool) {
	text := strings.TrimSpace(string(bytes.Trim(v, `"`)))
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil && t.Year() >= 1970 {
			return t.UnixMilli(), true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	for f > 1e11 && f < 1e20 { // the year 5138, in seconds
		f /= 1e3
	}
	if f = math.Round(f * 1e3); err != nil || !(f >= 0 && f <= 1e14) {
		return 0, false
	}
	return int64(f), true
}
