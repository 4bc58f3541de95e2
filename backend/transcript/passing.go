package transcript

import (
	"net/http"
	"strconv"

	"weft/backend/lazyregexp"
)

// passing matches errors that go away by themselves, so that trying again may help.
var passing = lazyregexp.New(`(?i)\btimed[ -]out\b|\btime-?out (?:of|after|exceeded|expired|error|while)\b|\b(?:request|connection|read|gateway) time-?out\b|\bdeadline exceeded\b|\bETIMEDOUT\b|\brate.?limit|\btoo many requests\b|\boverloaded\b|\btemporar(?:y|ily)\b|\bECONN(?:RESET|REFUSED|ABORTED)\b|\bE(?:PIPE|HOSTUNREACH|NETUNREACH)\b|\bEAI_AGAIN\b|\bconnection (?:was )?(?:reset|refused|closed|lost|aborted)\b|\bbroken pipe\b|\bsocket hang up\b|\bfetch failed\b|\bservice unavailable\b|\bbad gateway\b|\btry again (?:later|in )`)

// statusIn finds the status of HTTP that an error names: "HTTP 503", "status code: 429", "error 502", "with the status 503".
var statusIn = lazyregexp.New(`(?i)\b(?:http(?:/[\d.]+)?|status(?:[ _-]?code)?|(?:http|api|server|response) error|error code)(?: code)?\W{1,3}(\d{3})\b|\b(\d{3}) (?:too many requests|service unavailable|bad gateway|gateway time-?out|internal server error|request time-?out)\b`)

// statusOf is the failing status of HTTP that an error names first, 0 where it names none.
func statusOf(text string) int {
	for _, m := range statusIn.FindAllStringSubmatch(text, 4) {
		status, err := strconv.Atoi(m[1] + m[2])
		if err == nil && status >= 400 && status < 600 {
			return status
		}
	}
	return 0
}

// MayPass reports whether the error of a tool may go away when the same call is made again. It is the only place that
// decides so, for what agents report, what the gateway calls and what the built-in agent runs.
func MayPass(text string) bool {
	if status := statusOf(text); status != 0 {
		return PassingStatus(status)
	}
	return passing.MatchString(text)
}

// RetriedMeta is the member of the _meta of a tool's result that says whether the call was made twice. Where it is there, whoever ran the tool has
// decided whether the call is made again, and nobody else decides so by itself.
const RetriedMeta = "weft/wasRetried"

// PassingStatus reports whether a request that was answered with that status of HTTP may succeed later.
func PassingStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= http.StatusInternalServerError
}

// RefusedStatus reports whether a server that answers with that status has not done what it was asked for, so that
// asking it again does nothing twice.
func RefusedStatus(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

var refusedText = lazyregexp.New(`(?i)\btoo many requests\b|\brate.?limit(?:ed)?\b|\bservice unavailable\b`)

// Refused reports whether an error says that nothing was done: the server takes no requests just now (429, 503).
func Refused(text string) bool {
	if status := statusOf(text); status != 0 {
		return RefusedStatus(status)
	}
	return refusedText.MatchString(text)
}
