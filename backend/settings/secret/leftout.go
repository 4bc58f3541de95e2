package secret

import (
	"slices"
	"strings"
	"unicode"

	"weft/backend/base/lazyregexp"
)

// Missing is the text that stands where a secret was left out of a backup. It can be a part of an address, a header or
// an argument.
const Missing = "left-out-of-the-backup"

// MissingRef is the reference to a secret that was left out of a backup. Reading it fails with a sentence that asks for
// it.
const MissingRef Ref = Ref(LeftOut) + ":enter-it-again"

// endsSure are the ends of names, without separators, whose values are secrets; endsLikely are last words of names
// whose values are where they look like one.
var (
	endsSure = []string{
		"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "SECRETKEY", "PRIVATEKEY", "ACCESSKEY", "AUTHKEY", "SUBSCRIPTIONKEY",
		"SIGNINGKEY", "ENCRYPTIONKEY", "MASTERKEY", "ACCOUNTKEY", "AUTHORIZATION", "COOKIE", "BEARER", "PASSCODE", "PERSONALACCESSTOKENS",
	}
	endsLikely = []string{
		"KEY", "KEYS", "AUTH", "OAUTH", "PASS", "PW", "PWD", "CREDENTIAL", "CREDENTIALS", "CREDS", "SESSION", "SID", "SIG", "SIGNATURE", "JWT", "DSN",
		"COOKIES", "LICENSE", "CODE", "BEARERS", "PIN",
	}
	schemes = []string{"bearer", "basic", "token", "digest", "negotiate", "apikey", "key"}
	// settingsOf are values that say how something is, and no secrets, whatever their name is.
	settingsOf = []string{"true", "false", "on", "off", "yes", "no", "none", "null", "auto", "default", "enabled", "disabled", "required", "optional", "include", "omit", "same-origin"}
)

// spelled writes a name as those of variables are written: API_KEY for apiKey, --api-key and Api.Key.
func spelled(name string) string {
	var b strings.Builder
	last := ' '
	for _, r := range strings.TrimLeft(name, "-/$") {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = '_'
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
		last = r
	}
	return strings.TrimRight(b.String(), "_0123456789")
}

// telling returns whether what has a name is a secret: an environment variable (see [Variable]), a header, a key in
// JSON, an option or a parameter of an address.
func telling(name string) (sure, likely bool) {
	name = spelled(name)
	if Variable(name) || Variable("X_"+name) {
		return true, true
	}
	squeezed := strings.ReplaceAll(name, "_", "")
	if slices.ContainsFunc(endsSure, func(end string) bool { return strings.HasSuffix(squeezed, end) }) {
		return true, true
	}
	word := name[strings.LastIndexByte(name, '_')+1:]
	return false, slices.Contains(endsLikely, word)
}

// Called reports whether value, which has a name, looks like a secret by it. What only refers to a secret is none.
func Called(name, value string) bool {
	sure, likely := telling(name)
	bare := value
	if scheme, rest, ok := strings.Cut(strings.TrimSpace(value), " "); ok && slices.Contains(schemes, strings.ToLower(scheme)) {
		bare = strings.TrimSpace(rest)
	}
	switch {
	case bare == "" || strings.Contains(bare, Missing) || Ref(bare).Valid() || refers.MatchString(bare) || slices.Contains(settingsOf, strings.ToLower(bare)):
		return false
	case sure:
		// "maxTokens": 4096
		return !strings.HasSuffix(spelled(name), "S") || strings.Trim(bare, "0123456789.") != "" || len(bare) >= shortestPrinted
	}
	return likely && Telling(bare) && !isPath(bare)
}

// refers matches what only says where a secret is.
var refers = lazyregexp.New(`^(\$\{[^}]*\}|\$[A-Z_][A-Z0-9_]*|\{\{[^}]*\}\}|\{[a-z]+(:[^}]*)?\}|%[A-Z_][A-Z0-9_]*%|op://\S*|<[^>]*>|\*+)$`)

func isPath(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, ".") || len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
}

var (
	privateKey = lazyregexp.New(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(-----END [A-Z0-9 ]*-----|$)`)
	// The passwords of addresses. The second is for one with characters that should have been escaped.
	userInfo = lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*://)([^/\s?#"'<>\\]*)@`)
	rawInfo  = lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*://)([^/\s?#"'<>\\@:]*:[^\s"'<>\\@]*)@`)
	isPort   = lazyregexp.New(`^[^:]*:\d*([/?#]|$)`)
	isUser   = lazyregexp.New(`^[^:]*:(\d+$|.*` + Missing + `)`)
	// Keys whose beginning says what they are.
	shapes = lazyregexp.New(`(^|[^A-Za-z0-9])((?:c?sk|pk|rk)[-_][A-Za-z0-9_-]{12,}|gh[pousr]_[A-Za-z0-9]{12,}|github_pat_\w{12,}|gl[a-z]{2,5}-[\w-]{12,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}` +
		`|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}|AIza[\w-]{16,}|ya29\.[\w-]{8,}|eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|(?:hf|npm|gsk|ntn|r8|figd|whsec|secret|shp[a-z]{2}|dop_v1|lin_api)_\w{12,}` +
		`|(?:pypi|xai|pplx|nvapi|tvly|fc|ATATT3x\w*)-[\w-]{12,}|SG\.[\w-]{8,}\.[\w-]+|AGE-SECRET-KEY-\w+|BSA[\w-]{20,})`)
	withScheme = lazyregexp.New(`(?i)(\b(?:bearer|basic|digest|negotiate|token|apikey)[ \t]+)([A-Za-z0-9._~+/=-]{8,})`)
	base64Word = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9+/]{30,}=*$`) // a key may have slashes
	longWords  = lazyregexp.New(`[A-Za-z0-9]{20,}`)
	pairs      = lazyregexp.New(`^([A-Za-z][A-Za-z0-9_.-]*)(\\*["']?\s*(?:=>|:=|[:=]|%3D|%3d)\s*)`)
	options    = lazyregexp.New(`^--?([A-Za-z][A-Za-z0-9_.-]*)[ \t]+`)
)

// Without returns text with [Missing] in the place of what looks like a secret, and text itself where nothing does.
// Names in the text say it (see [Called]), known beginnings of keys, and long words that no one has made up. It is for
// settings: what agents and tools write is a matter of the [Redactor].
func Without(text string) string {
	out := privateKey.ReplaceAllString(text, Missing)
	out = replace(userInfo, out, func(m []string) string { return m[1] + withoutPassword(m[2]) + "@" })
	out = replace(rawInfo, out, func(m []string) string {
		if isPort.MatchString(m[2]) {
			return m[0]
		}
		return m[1] + withoutPassword(m[2]) + "@"
	})
	out = replace(shapes, out, func(m []string) string {
		if !strings.ContainsAny(m[2], "0123456789") && strings.Contains(m[2][3:], "-") {
			return m[0] // words
		}
		return m[1] + Missing
	})
	out = replace(withScheme, out, func(m []string) string {
		if !Telling(m[2]) || strings.Contains(m[2], Missing) || isPath(m[2]) {
			return m[0]
		}
		return m[1] + Missing
	})
	if base64Word.MatchString(out) && random(out) {
		return Missing
	}
	return withoutRandom(withoutNamed(out))
}

func replace(re *lazyregexp.Regexp, text string, by func(m []string) string) string {
	return re.ReplaceAllStringFunc(text, func(found string) string { return by(re.FindStringSubmatch(found)) })
}

// withoutPassword is for the part of an address before the @.
func withoutPassword(info string) string {
	user, password, ok := strings.Cut(info, ":")
	switch {
	case ok && password != "" && !refers.MatchString(password) && password != Missing:
		return user + ":" + Missing
	case !ok && Telling(info) && !strings.Contains(info, Missing) && !refers.MatchString(info):
		return Missing
	}
	return info
}

// withoutNamed takes out values whose name is before them: NAME=value, "name": "value", --name value.
func withoutNamed(text string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if i > 0 && isName(text[i-1]) || !isName(text[i]) {
			i++
			continue
		}
		name, begin := "", 0
		if m := pairs.FindStringSubmatch(text[i:]); m != nil {
			name, begin = m[1], i+len(m[0])
		} else if m := options.FindStringSubmatch(text[i:]); m != nil {
			name, begin = m[1], i+len(m[0])
			if begin < len(text) && text[begin] == '-' {
				name = ""
			}
		}
		if name == "" {
			i++
			continue
		}
		quote, begin := quoteAt(text, begin)
		value := valueAt(text[begin:], quote, name)
		switch {
		case isLogin(name) && strings.Contains(value, ":") && !isUser.MatchString(value) && !strings.Contains(value, "://"):
			begin += strings.IndexByte(value, ':') + 1
			value = value[strings.IndexByte(value, ':')+1:]
		case !Called(name, value):
			i += len(name) // what follows may be a name as well
			continue
		}
		if value == "" || refers.MatchString(value) {
			i += len(name)
			continue
		}
		out.WriteString(text[done:begin])
		out.WriteString(Missing)
		done = begin + len(value)
		i = done
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

// isLogin reports whether an option takes a user with a password.
func isLogin(name string) bool {
	name = spelled(name)
	return name == "U" || name == "USER" || strings.HasSuffix(name, "_USER") || strings.HasSuffix(name, "_LOGIN")
}

func isName(c byte) bool {
	return c == '-' || c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// quoteAt returns the quote that begins at a place, with its backslashes, and where what is quoted begins.
func quoteAt(text string, at int) (string, int) {
	end := at
	for end < len(text) && text[end] == '\\' {
		end++
	}
	if end < len(text) && (text[end] == '"' || text[end] == '\'') {
		return text[at : end+1], end + 1
	}
	return "", at
}

// valueAt returns the value at the beginning of text, up to the quote that began it.
func valueAt(text, quote, name string) string {
	if quote != "" {
		if end := strings.Index(text, quote); end >= 0 {
			return text[:end]
		}
		return text
	}
	ends := " \t\r\n\"'&;,#{}()<>|\\"
	if strings.HasPrefix(text, "${") || strings.HasPrefix(text, "{") {
		if end := strings.IndexByte(text, '}'); end >= 0 {
			return text[:end+1]
		}
	}
	if n := spelled(name); strings.HasSuffix(n, "AUTHORIZATION") || strings.HasSuffix(n, "COOKIE") {
		ends = "\r\n\"'" // headers have values of several words
	}
	if end := strings.IndexAny(text, ends); end >= 0 {
		return strings.TrimRight(text[:end], " \t")
	}
	return text
}

// withoutRandom takes out long words in which letters and digits change as they do in no word: keys that nothing names.
// Those in paths of files and those that are sums of files stay.
func withoutRandom(text string) string {
	done := 0
	var out strings.Builder
	for done < len(text) {
		at := longWords.FindStringSubmatchIndex(text[done:])
		if at == nil {
			break
		}
		begin, end := done+at[0], done+at[1]
		if random(text[begin:end]) && !isSum(text, begin, end) {
			out.WriteString(text[done:begin] + Missing)
		} else {
			out.WriteString(text[done:end])
		}
		done = end
	}
	return out.String() + text[done:]
}

func random(word string) bool {
	changes := 0
	for i := 1; i < len(word); i++ {
		a, b := rune(word[i-1]), rune(word[i])
		if unicode.IsDigit(a) != unicode.IsDigit(b) || unicode.IsLower(a) && unicode.IsUpper(b) {
			changes++
		}
	}
	return changes*5 >= len(word)
}

// isSum reports whether a long word is the sum of a file, or in its path.
func isSum(text string, begin, end int) bool {
	word := text[strings.LastIndexAny(text[:begin], " \t\r\n\"'=,;")+1 : begin]
	if strings.ContainsAny(word, `/\`) {
		return !strings.Contains(word, "://") || strings.HasPrefix(word, "file://")
	}
	lower := strings.ToLower(word)
	for _, sum := range []string{"sha1", "sha256", "sha384", "sha512", "md5"} {
		if strings.HasSuffix(strings.TrimRight(lower, ":-="), sum) {
			return true
		}
	}
	return end-begin == 40 && strings.Trim(text[begin:end], "0123456789abcdef") == "" && (strings.HasSuffix(word, "#") || strings.HasSuffix(word, "@"))
}
