package transcript

import (
	"net/http"
	"strconv"

	"weft/backend/base/lazyregexp"
)

// passing matches temporary errors, after which a retry may help.
var passing = lazyregexp.New(`(?i)\btimed[ -]out\b|\btime-?out (?:of|after|exceeded|expired|error|while)\b|\b(?:request|connection|read|gateway) time-?out\b|\bdeadline exceeded\b|\bETIMEDOUT\b|\brate.?limit|\btoo many requests\b|\boverloaded\b|\btemporar(?:y|ily)\b|\bECONN(?:RESET|REFUSED|ABORTED)\b|\bE(?:PIPE|HOSTUNREACH|NETUNREACH)\b|\bEAI_AGAIN\b|\bconnection (?:was )?(?:reset|refused|closed|lost|aborted)\b|\bbroken pipe\b|\bsocket hang up\b|\bfetch failed\b|\bservice unavailable\b|\bbad gateway\b|\btry again (?:later|in )`)

// statusIn finds the HTTP status in an error: "HTTP 503", "status code: 429", "error 502", "with the status 503".
var statusIn = lazyregexp.New(`(?i)\b(?:http(?:/[\d.]+)?|status(?:[ _-]?code)?|(?:http|api|server|response) error|error code)(?: code)?\W{1,3}(\d{3})\b|\b(\d{3}) (?:too many requests|service unavailable|bad gateway|gateway time-?out|internal server error|request time-?out)\b`)

// statusOf returns the first failing HTTP status in an error, or 0.
func statusOf(text string) int {
	for _, m := range statusIn.FindAllStringSubmatch(text, 4) {
		status, err := strconv.Atoi(m[1] + m[2])
		if err == nil && status >= 400 && status < 600 {
			return status
		}
	}
	return 0
}

// MayPass reports whether a tool's error is temporary, so that the same call may succeed later. Agents' reports, the
// gateway's calls and the built-in agent's tools all use it.
func MayPass(text string) bool {
	if status := statusOf(text); status != 0 {
		return PassingStatus(status)
	}
	return passing.MatchString(text)
}

// RetriedMeta is the field in the _meta of a tool's result that says whether the call was made twice. If it is present,
// the program that ran the tool has decided about retries, and no other program retries automatically.
const RetriedMeta = "weft/wasRetried"

// PassingStatus reports whether a request that failed with this HTTP status may succeed later.
func PassingStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= http.StatusInternalServerError
}

// RefusedStatus reports whether a server that returns this status did nothing, so that a retry can't do anything twice.
func RefusedStatus(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

var refusedText = lazyregexp.New(`(?i)\btoo many requests\b|\brate.?limit(?:ed)?\b|\bservice unavailable\b`)

// Refused reports whether an error says that the server did nothing because it accepts no requests now (429, 503).
func Refused(text string) bool {
	if status := statusOf(text); status != 0 {
		return RefusedStatus(status)
	}
	return refusedText.MatchString(text)
}
