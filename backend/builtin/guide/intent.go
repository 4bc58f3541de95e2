package guide

import (
	"path"
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"
)

type action string

const (
	help       action = "help"
	next       action = "next" // where to go after a first look
	summary    action = "summary"
	tree       action = "tree"
	todos      action = "todos"
	find       action = "find"
	read       action = "read"
	contribute action = "contribute"
	weft       action = "weft" // how something is done in Weft
	unknown    action = "unknown"
)

// intent is what a prompt asks for.
type intent struct {
	action   action
	subject  string // the text, file or folder
	from, to int    // lines to read; 0 if not given
}

type rule struct {
	action action
	re     *lazyregexp.Regexp
}

const (
	politeness = `(?:(?:please|now|can you|could you|would you|i want you to|let'?s)[,.!]?\s+)*`
	quoted     = "\"[^\"]+\"|'[^']+'|`[^`]+`"
	place      = `(?:project|repo(?:sitory)?|code ?base|folder|directory|workspace)`
)

func matches(a action, pattern string) rule {
	return rule{a, lazyregexp.New(`(?i)^/?` + politeness + `(?:` + pattern + `)(?:[\s,]+(?:please|thanks|for me|to me))*[\s.!?…？！。\p{So}\x{fe0f}]*$`)}
}

// rules are tried in order. Their named groups fill the intent.
var rules = []rule{
	matches(help, `help(?: me)?(?: out)?|find|search|read|commands|examples|(?:i need|give me) (?:some )?help|how (?:can|could|do) you help(?: me)?|(?:can you )?help me with (?:this|my|the) `+place),
	matches(help, `what (?:else )?(?:can|could|do) you (?:actually |really )?(?:do|help(?: me)? with|know|understand|offer)(?: (?:for me|here|exactly|in this `+place+`))?|what (?:are you (?:able|allowed) to do|are your (?:commands|abilities|capabilities|features|skills|functions)|(?:commands|things) (?:do you (?:know|understand)|can you do|can i (?:use|try)))|which (?:commands|things) (?:do you (?:know|understand)|can you do|can i use)`),
	matches(help, `(?:who|what) (?:exactly )?are you|what(?:'s| is) (?:your name|weft|the guide|this guide)|(?:tell me (?:something )?about|introduce) (?:yourself|you)|are you (?:there|an? (?:ai|agent|bot|human|language model|llm|model|person)|real|working|online)|how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what(?:'s| is) up|nice to meet you|thank(?:s| you)(?: (?:so much|very much|a lot))?|test(?:ing)?|ping`),
	matches(help, `how (?:do|can|should|would) (?:i|we) (?:use|talk to|work with|ask) (?:you|this|it|weft|the guide)|how (?:do you|does (?:this|it|weft)) work|what (?:can|should|could|do|may) (?:i|we) (?:ask|say|type|write|tell)(?: (?:you|here|for))*`),
	matches(help, `was kannst du(?: (?:tun|alles|machen|für mich tun))*|wer bist du|hilfe|qu[eé] puedes hacer(?: por m[ií])?|qui[eé]n eres|ayuda|你(?:能|可以|会)做(?:什么|些什么)|你是谁|帮助|(?:あなたは)?(?:何|なに)が(?:できますか|できるの?)|(?:あなたは)?(?:誰|だれ)ですか|ヘルプ`),
	matches(next, `what(?:'s| is)? next|what now|(?:so )?what (?:can|should|do|must|shall|could) (?:i|we) (?:do|try|start with|begin with)(?: (?:now|next|first|here|to start|to begin))*|(?:what|which) (?:is|are|comes?|would be)? ?(?:the )?(?:first|next) (?:steps?|things?)(?: to do)?|what(?:'s| is) (?:the|a good) (?:first|next) step|where (?:do|should|can|would) (?:i|we) (?:go|start|begin)(?: (?:next|now|first|from))?|where to (?:go|start|begin)(?: (?:next|now|first))?|how (?:do|can|should) (?:i|we) (?:start|begin|get started|proceed|continue|go on)(?: (?:now|here|with (?:this|weft)))?|(?:getting|get(?: me)?|help me(?: to)? get) started|(?:show me|give me) (?:the ropes|around|a tour)|was (?:soll|kann|muss) ich (?:jetzt|zuerst|als erstes|als nächstes)(?: (?:tun|machen))?|(?:por )?d[oó]nde empiezo|how (?:do|can) i (?:add|connect|install|use|get) (?:an?|another|the) (?:agent|model|key).*`),
	matches(weft, `(?:how (?:do|can|could|should|would|may) (?:i|we)|how to|how does one|where (?:do|can|could|should) (?:i|we)|is there a way to|can i) (?:.+? )??(?P<subject>`+weftWords()+`)(?: .+)?`),
	matches(contribute, `(?:make|write|create|add|generate|draft) (?:me )?(?:an? |the )?contributing(?:\.md)?(?: (?:file|guide|document))?(?: for .*)?`),
	matches(summary, `summary|overview|(?:summari[sz]e|describe|explain|(?:give me )?(?:a |an )?(?:summary|overview) of|what(?:'s| is)|tell me about) (?:this|the|my)(?: (?:whole |entire )?`+place+`)?(?: about)?`),
	matches(todos, `(?:(?:list|show|find|search for|what are|are there)(?: me)? )?(?:any |all |the |open |all the )*(?:to-?dos?|fixmes?)(?: (?:and|or) (?:to-?dos?|fixmes?))?(?: (?:comments?|notes?))?(?: in .*)?`),
	matches(tree, `(?:(?:list|show) (?:me )?(?:all )?(?:the )?(?:files|tree|folders?|contents)|tree|ls)(?: (?:(?:in|of) )?(?:the )?(?P<subject>\S+?))?(?: folder)?`),
	matches(find, `(?:find|list|show|search for) (?:all )?(?:the )?files (?:named|called|matching) (?P<subject>.+?)`),
	matches(read, `(?:read|open|show|explain|describe|what does|what is in) (?:me )?(?:the )?(?:file |folder )?(?P<subject>`+quoted+`|\S+?)(?: do)?(?:[, ]+lines? (?P<from>\d+)(?:\s*(?:-|–|to)\s*(?P<to>\d+))?)?`),
	matches(find, `(?:find|search(?: for)?|look for|grep|where (?:is|are)|which files (?:use|contain|mention)) (?:all )?(?:the )?(?:(?:uses|usages|mentions|references|definition) (?:of|to) )?(?P<subject>.+?)(?: (?:defined|declared|implemented|used|handled))?(?: in (?:the|this|my) `+place+`)?`),
}

// placeIn finds the name of the whole project.
var placeIn = lazyregexp.New(`(?i)\b` + place + `\b`)

var mention = lazyregexp.New(`(?:^|\s)@(?:"([^"]+)"|(\S+))`)

// parse returns what a prompt asks for. Case, politeness and punctuation don't matter. A prompt that only makes sense
// with an attached file, such as "explain this", reads the file.
func parse(text string) intent {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	asked, greeted := ungreet(line)
	line = asked
	bare := strings.Join(strings.Fields(mention.ReplaceAllString(line, " ")), " ")
	attached := ""
	if m := mention.FindStringSubmatch(text); m != nil {
		attached = clean(m[1] + m[2])
	}
	in := intent{action: unknown}
	if greeted && bare == "" {
		in.action = help
	}
	for _, r := range rules {
		m := r.re.FindStringSubmatch(strings.Join(strings.Fields(strings.ReplaceAll(line, " @", " ")), " "))
		if m == nil {
			continue
		}
		in.action = r.action
		if i := r.re.SubexpIndex("subject"); i > 0 {
			in.subject = clean(m[i])
		}
		if i := r.re.SubexpIndex("from"); i > 0 {
			in.from, _ = strconv.Atoi(m[i])
			in.to, _ = strconv.Atoi(m[i+1])
		}
		break
	}
	if in.from > 0 && in.to == 0 {
		in.to = in.from
	}
	return settle(in, clean(line), attached, bare)
}

// greeting matches what people write before or instead of a question: a greeting, a name, that they are new. A space or
// the end must follow, so that a file such as hello.go doesn't match.
var greeting = lazyregexp.New(`(?i)^(?:` +
	`(?:hello+|hi+|hey+|hiya|howdy|greetings|yo|sup|ok(?:ay)?|well|so|good (?:morning|afternoon|evening|day)|` +
	`hallo|moin|servus|guten (?:morgen|tag|abend)|grüß gott|hola|buenos d[ií]as|buenas(?: tardes| noches)?|bonjour|salut|ciao|ol[aá]|` +
	`(?:i'?m|i am) (?:new|just starting)(?: (?:here|to (?:this|weft|it|all this)))?|(?:this is |it'?s )?my first (?:time|day)(?: here)?)` +
	`(?:[\s,]+(?:there|again|guide|weft|everyone|all|friend|world|buddy|you))*(?:\s*[\p{P}\p{S}\p{M}\x{200d}]+)?(?:\s+|$)` +
	`|(?:你好|您好|嗨|こんにちは|おはよう(?:ございます)?|こんばんは|はじめまして)[\p{P}\p{S}\s]*|[\p{So}\x{fe0f}\x{200d}]+[\p{P}\s]*)`)

// ungreet returns a prompt without the greeting before it, and whether there was one.
func ungreet(line string) (asked string, greeted bool) {
	for asked = strings.ReplaceAll(line, "’", "'"); ; greeted = true {
		m := greeting.FindStringSubmatch(asked)
		if m == nil {
			break
		}
		asked = asked[len(m[0]):]
	}
	if !greeted {
		return line, false
	}
	return asked, true
}

// settle resolves what the rules leave open: pronouns, mentioned files, and names of files without a verb.
func settle(in intent, line, attached, bare string) intent {
	pronoun := map[string]bool{"": true, "this": true, "it": true, "that": true, "here": true}[strings.ToLower(in.subject)]
	place := placeIn.MatchString(bare)
	switch {
	case attached != "" && (in.action == unknown || in.action == summary && !place || in.action == read && pronoun):
		return intent{action: read, subject: attached, from: in.from, to: in.to}
	case in.action == unknown && looksLikeFile(line):
		return intent{action: read, subject: line}
	case in.action == read && pronoun:
		return intent{action: summary}
	case in.action == find && in.subject == "":
		return intent{action: help}
	case in.action == tree && pronoun:
		in.subject = ""
	}
	return in
}

func looksLikeFile(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t(){}<>\"'=,;") && (path.Ext(s) != "" || strings.HasSuffix(s, "/"))
}

// clean removes quotes, the @ of a mention, and the punctuation that ends a sentence.
func clean(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	s = strings.TrimRight(s, "?!,;:")
	if !strings.HasSuffix(s, "..") && len(s) > 1 {
		s = strings.TrimSuffix(s, ".")
	}
	return strings.TrimPrefix(s, "@")
}

// stopWords carry no meaning for a search.
var stopWords = lazyregexp.New(`(?i)^(?:a|all|an|and|any|are|as|at|be|by|can|could|do|does|find|for|from|how|i|in|is|it|its|me|my|no|not|of|on|or|our|show|so|some|that|the|there|this|to|was|we|were|what|when|where|which|who|why|will|with|you|your)$`)

// significant returns up to n different words of a text that are worth a search.
func significant(text string, n int) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, "\"'`?!.,;:()[]{}<>")
		if key := strings.ToLower(w); len(w) > 1 && len(out) < n && !seen[key] && !stopWords.MatchString(w) {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}
