package flat

import (
	"fmt"

	"weft/backend/interchange/sessionfiles"
)

// timeOf parses a time and returns it in unix ms: ISO 8601 (UTC by default), or a unix time in s, ms, µs or ns. It
// returns 0 if n is missing.
func timeOf(n node) (int64, error) {
	if ms, ok := sessionfiles.Time(n.raw); ok || !n.there() {
		return ms, nil
	}
	return 0, fmt.Errorf("the time %s can't be read, use ISO 8601, such as 2026-03-01T09:30:00Z, or a unix time", label(string(n.raw), 60))
}
