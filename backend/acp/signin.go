package acp

import (
	"strings"

	"weft/backend/base/lazyregexp"
	"weft/backend/base/scan"
)

// ACP uses -32000 for "authentication required", but many agents return it for any error. So the text of the error
// decides, and whether the agent has sign-in methods.
var (
	signInWords = lazyregexp.New(`(?i)\b(?:sign|logg?ed|signed)[ -]?(?:in|out)\b|\b(?:re-?)?log-?(?:in|on|out)\b` +
		`|\blog in(?:[.,;:!)\s]*$|[.,;:!)]|\s+(?:to|with|using|first|again|at|via|and|or|before|by|for)\b)` +
		`|\b(?:un|re-?)?authenticat\w+|\bauth(?:[ _-]is)?[ _-]?(?:required|needed|failed|failure|error|expired)\b|\boauth\b` +
		`|\b(?:unauthori[sz]ed|not authori[sz]ed)\b|\bauthori[sz]ation[ -](?:is )?(?:required|needed|failed|expired|missing)\b|\b401\b` +
		`|\b(?:no|missing|invalid|expired|incorrect|wrong|revoked|set|add|configure|provide|enter)\b[^.:;]{0,30}\b(?:api[ _-]?key|access[ _-]token|credentials?)\b` +
		`|\b(?:api[ _-]?key|access[ _-]token|credentials?)\b[^.:;]{0,30}\b(?:missing|invalid|expired|required|revoked|rejected|incorrect|not (?:set|configured|found|valid|accepted))\b` +
		`|登录|登陆|登入|认证|認證|鉴权|身份验证|ログイン|サインイン|認証|\bangemeldet\b|\banmeld|\binici(?:e|ar?) sesi[oó]n\b|\bautenti[cf]`)
	otherWords = lazyregexp.New(`(?i)\brate[ _-]?limit|\btoo many\b|\b429\b|\b5\d\d\b|\bquota\b|\boverload|\bcapacity\b|\bbusy\b|\bretry\b|\btry again (?:in|later|after)\b` +
		`|\btime[ds]?[ -]?out\b|\bunavailable\b|\bnot found\b|\bno such\b|\bunknown\b|\bunsupported\b|\bnot (?:supported|implemented)\b|\bdoes(?:n't| not) exist\b` +
		`|\binvalid (?:params?|parameters?|arguments?|requests?)\b|\btoo (?:long|large)\b|\bcontext (?:length|window|limit)\b|\bECONN\w*|\bENO\w+|\bconnection (?:refused|reset|failed|closed)\b` +
		`|\bmcp_?servers?\b`)
	style      = lazyregexp.New("\x1b\\[[0-9;]*m")
	emptyWords = lazyregexp.New(`(?i)^(?:(?:internal |server |unknown )?error)?\W*$`)
)

// Is reports whether target is [ErrAuthRequired] and the agent may be asking for a sign-in.
func (e *RPCError) Is(target error) bool {
	if target != ErrAuthRequired || e.Code != CodeAuthRequired {
		return false
	}
	says := e.words()
	return e.AsksForSignIn() || signInWords.MatchString(says) || e.Offers && !otherWords.MatchString(says)
}

// AsksForSignIn reports whether the agent clearly asks for a sign-in. An error that only matches [ErrAuthRequired] may
// have another cause.
func (e *RPCError) AsksForSignIn() bool {
	if e.Code != CodeAuthRequired {
		return false
	}
	says := e.words()
	return len(ReadAuthMethods(e.Data)) > 0 || signInWords.MatchString(says) && !otherWords.MatchString(says) || e.Offers && emptyWords.MatchString(says)
}

// maxWords is how many bytes of an error's text are examined.
const maxWords = 4 << 10

// words returns the text of the error: message, detail, reason, code and type, separated by single spaces.
func (e *RPCError) words() string {
	says := e.Message
	if d := e.Detail(); d != "" && d != says {
		says += " " + d
	}
	for _, name := range []string{"reason", "code", "type"} {
		if s, ok := scan.Text(scan.Member(e.Data, name)); ok {
			says += " " + strings.ReplaceAll(s, "_", " ")
		}
	}
	return strings.Join(strings.Fields(style.ReplaceAllString(says[:min(len(says), maxWords)], " ")), " ")
}
