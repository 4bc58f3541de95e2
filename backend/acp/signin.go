package acp

import (
	"strings"

	"weft/backend/acp/scan"
	"weft/backend/lazyregexp"
)

// Many programs answer -32000 to whatever goes wrong, which ACP has for a sign-in that is required. So what an agent says counts, and whether it has a way
// to sign in at all.
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

// Is makes an error by which the agent may ask for a sign-in match [ErrAuthRequired].
func (e *RPCError) Is(target error) bool {
	if target != ErrAuthRequired || e.Code != CodeAuthRequired {
		return false
	}
	says := e.words()
	return e.AsksForSignIn() || signInWords.MatchString(says) || e.Offers && !otherWords.MatchString(says)
}

// AsksForSignIn reports whether the agent plainly asks for a sign-in. Otherwise an error that matches [ErrAuthRequired] may be about something else.
func (e *RPCError) AsksForSignIn() bool {
	if e.Code != CodeAuthRequired {
		return false
	}
	says := e.words()
	return len(ReadAuthMethods(e.Data)) > 0 || signInWords.MatchString(says) && !otherWords.MatchString(says) || e.Offers && emptyWords.MatchString(says)
}

// maxWords is how much of an error is read for what it is about, in bytes.
const maxWords = 4 << 10

// words is what the error says, in the agent's words, with one space between them.
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
