package flat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var timeForms = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
}

// timeOf reads a time as unix ms: ISO 8601 (without a zone it is UTC), or a unix time in s, ms, µs or ns. It is 0 where there is none.
func timeOf(n node) (int64, error) {
	if !n.there() {
		return 0, nil
	}
	text := strings.TrimSpace(n.text())
	if n.kind() == '0' {
		text = string(n.raw)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		for f > 1e11 && f < 1e20 { // the year 5138, in seconds
			f /= 1e3
		}
		if ms := math.Round(f * 1e3); ms >= 0 && ms <= 1e14 {
			return int64(ms), nil
		}
	} else if text != "" {
		for _, form := range timeForms {
			if t, err := time.Parse(form, text); err == nil && t.Year() >= 1970 {
				return t.UnixMilli(), nil
			}
		}
	}
	return 0, fmt.Errorf("the time %s can't be read, use ISO 8601, such as 2026-03-01T09:30:00Z, or a unix time", label(string(n.raw), 60))
}
