package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// corpus makes texts that are distributed as those of conversations about code are: few words are frequent, most are
// rare.
type corpus struct {
	r     *rand.Rand
	words []string
	sum   []float64 // of the words' frequencies up to each
}

const vocabulary = 60_000

var (
	syllables = strings.Fields(`ba be bi bo bu ca ce co cu da de di do du fa fe fi fo ga ge go ha he hi ho ja jo ka ke ki la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro
		ru sa se si so su ta te ti to tu va ve vi wa we wi za ze zo tion ment ing er ed ly un re pre con dis`)
	code = strings.Fields(`useEffect( err!=nil ctx.Done() a.b.c --flag --dry-run fmt.Errorf("%w" std::vector<int> foo_bar() x=>x+1 src/app/main.go internal/server/http.go package.json index.tsx
		XMLHttpRequest getElementById readFileSync await Promise.all( SELECT*FROM git-rebase npm-install v1.26.3 0x7fff5 127.0.0.1:8080`)
	chinese = strings.Fields(`连接到数据库失败 请检查配置文件 用户登录状态 函数返回错误 测试已经通过 ファイルを読み込む エラーが発生しました 非同期処理 설정을 확인하세요 데이터베이스 연결`)
	german  = strings.Fields(`Datenbankverbindung Verbindungsaufbau Fehlerbehandlung Zugriffsberechtigung Konfigurationsdatei Speicherverwaltung Donaudampfschifffahrtsgesellschaft`)
)

func newCorpus(seed uint64) *corpus {
	c := &corpus{r: rand.New(rand.NewPCG(seed, 3))}
	total := 0.0
	for i := range vocabulary {
		n := 1 + c.r.IntN(3) + i*2/vocabulary
		var w strings.Builder
		for range n + 1 {
			w.WriteString(syllables[c.r.IntN(len(syllables))])
		}
		c.words = append(c.words, w.String())
		total += 1 / math.Pow(float64(i+2), 1.05)
		c.sum = append(c.sum, total)
	}
	return c
}

// word returns a word, frequent ones more often.
func (c *corpus) word() string {
	x := c.r.Float64() * c.sum[len(c.sum)-1]
	lo, hi := 0, len(c.sum)-1
	for lo < hi {
		if mid := (lo + hi) / 2; c.sum[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return c.words[lo]
}

// text returns a text of about size bytes.
func (c *corpus) text(size int) string {
	var b strings.Builder
	b.Grow(size + 40)
	for b.Len() < size {
		switch c.r.IntN(60) {
		case 0, 1, 2:
			b.WriteString(code[c.r.IntN(len(code))])
		case 3:
			b.WriteString(chinese[c.r.IntN(len(chinese))])
		case 4:
			b.WriteString(german[c.r.IntN(len(german))])
		case 5:
			fmt.Fprintf(&b, "%x", c.r.Uint32())
		default:
			b.WriteString(c.word())
		}
		b.WriteString([]string{" ", " ", " ", " ", " ", ", ", ". ", "\n"}[c.r.IntN(8)])
	}
	return b.String()
}

// query is one of a mixed set, and its kind.
type query struct{ kind, text string }

// queries returns n queries of each kind. What they look for is in the texts, or looks like it.
func (c *corpus) queries(n int) (list []query) {
	add := func(kind, text string) { list = append(list, query{kind, text}) }
	for range n {
		add("words", c.word()+" "+c.word())
		add("word", c.words[c.r.IntN(len(c.words))]+" ")
		add("phrase", `"`+c.word()+" "+c.word()+`"`)
		r := []rune(chinese[c.r.IntN(len(chinese))])
		from := c.r.IntN(len(r) - 1)
		add("Chinese, Japanese, Korean", string(r[from:from+2+c.r.IntN(len(r)-from-1)]))
		add("code", code[c.r.IntN(len(code))])
		w := c.words[c.r.IntN(2000)]
		add("prefix", w[:min(len(w), 3+c.r.IntN(3))])
		g := strings.ToLower(german[c.r.IntN(len(german))])
		add("inside of words", g[3:len(g)-2])
		add("filters", c.word()+" kind:call after:2y")
	}
	return list
}
