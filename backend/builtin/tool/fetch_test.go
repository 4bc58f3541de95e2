package tool

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"weft/backend/llm"
)

func TestFetch(t *testing.T) {
	t.Parallel()
	var other *httptest.Server
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			_, _ = w.Write([]byte("<title>A page</title><script>x()</script><h1>Caf\xe9</h1><p>See <a href=/next>this</a>."))
		case "/text":
			_, _ = w.Write([]byte("plain text\n"))
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"a":1}`))
		case "/moved":
			http.Redirect(w, r, "/text", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+"/secret", http.StatusFound)
		case "/png":
			_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0000"))
		case "/binary":
			_, _ = w.Write([]byte("\x00\x01\x02"))
		case "/huge":
			for range 6 << 10 {
				_, _ = w.Write([]byte(strings.Repeat("x", 1023) + "\n"))
			}
		case "/busy":
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte("slow down"))
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("begun"))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	other = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("secret")) }))
	t.Cleanup(other.Close)

	b := newBench(t, nil)
	get := func(path string) (Result, error) { return b.run("fetch", in{"url": server.URL + path}) }
	for path, want := range map[string]string{
		"/page": "# A page\n\n# Café\n\nSee [this](" + server.URL + "/next).\n", "/text": "plain text\n", "/json": `{"a":1}`, "/moved": "/text\n\nplain text\n",
	} {
		r, err := get(path)
		if err != nil || !strings.HasSuffix(told(r.Parts), want) {
			t.Errorf("%s: %q, %v", path, told(r.Parts), err)
		}
	}
	r, err := get("/png")
	if err != nil || r.Parts[1].(llm.Image).MIME != "image/png" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := get("/huge"); err != nil || len(told(r.Parts)) > maxModelText || r.Output["cut"] != true || len(b.kept) != 1 {
		t.Errorf("%v, %v, %v", r.Output, b.kept, err)
	}
	for path, want := range map[string]struct {
		message   string
		retryable bool
	}{
		"/missing": {"HTTP 404 Not Found", false}, "/busy": {"HTTP 429 Too Many Requests", true}, "/broken": {"HTTP 502 Bad Gateway", true},
		"/loop": {"too many redirects", true}, "/away": {"redirects to another host", false}, "/binary": {"binary file", false}, "/cut": {"Couldn't fetch", true},
	} {
		_, err := get(path)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, want.message) || e.Retryable != want.retryable {
			t.Errorf("%s: %+v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, err := b.prepare("fetch", in{"url": server.URL + "/text"})
	if err != nil || p.Effect != Fetches || !strings.HasPrefix(p.Grant, "fetch:127.0.0.1:") {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := p.Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFetchStaysOutside(t *testing.T) {
	t.Parallel()
	reached := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	tool := fetchTool([]string{"allowed.example"})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "127.1"} {
		input, _ := json.Marshal(in{"url": "http://" + host + ":" + at.Port() + "/"})
		p, err := tool.Prepare(t.Context(), &Env{}, input)
		if err == nil {
			_, err = p.Run(t.Context(), nil)
		}
		if err == nil || reached {
			t.Errorf("%s was reached", host)
		}
		var e *Error
		if host == "localhost" && (!errors.As(err, &e) || e.Retryable || !strings.Contains(e.Message, "private network")) {
			t.Errorf("%s: %v", host, err)
		}
	}
	for ip, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "fe80::1": false,
		"fc00::1": false, "::1": false, "::": false, "224.0.0.1": false, "255.255.255.255": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false, "192.0.2.1": false,
		"::7f00:1": false,
	} {
		if public(netip.MustParseAddr(ip)) != want {
			t.Errorf("%s: public is %v", ip, !want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	base, _ := url.Parse("https://example.com/docs/")
	for page, want := range map[string]string{
		"<h2>T</h2>text <b>bold</b> and <em>more</em>":                  "## T\n\ntext **bold** and *more*\n",
		"<p>one\n  two</p><p>three<br>four</p>":                         "one two\n\nthree  \nfour\n",
		"<ul><li>a<li>b<ul><li>c</ul><li>d</ul>end":                     "- a\n- b\n  \n  - c\n- d\n\nend\n",
		"<ol><li>x</li><li>y</li></ol>":                                 "1. x\n2. y\n",
		"<pre><code>a\n  b\n</code></pre>":                              "```\na\n  b\n```\n",
		"<blockquote>q<br>r</blockquote>":                               "> q  \n> r\n",
		"<a href='../x'>up</a> <a href='javascript:y()'>js</a>":         "[up](https://example.com/x) js\n",
		"<table><tr><th>a<th>b<tr><td>1<td>2</table>":                   "| a | b |\n|---|---|\n| 1 | 2 |\n",
		"<style>x{}</style><p hidden>h</p><img alt='A cat' src=x.png>":  "h\n\n![A cat]\n",
		"<title>T &amp; U</title><body><p>text":                         "# T & U\n\ntext\n",
		"<p>1 < 2, List&lt;b&gt;, a_b and *":                            "1 &lt; 2, List&lt;b&gt;, a_b and *\n",
		"<a href='data:text/html,x'>d</a> <a href='#top'>up</a>":        "d up\n",
		"<a href='/a_(b) c' onclick=x()>t</a>":                          "[t](https://example.com/a_%28b%29%20c)\n",
		"<svg><text>s</text></svg><button>b</button><dialog>d</dialog>": "\n",
		"<pre><code class=language-go>a := `x` &lt; 1</code></pre>":     "```go\na := `x` < 1\n```\n",
		"<pre>```\nx\n```</pre>":                                        "````\n```\nx\n```\n````\n",
		strings.Repeat("<div>", 5000) + "deep":                          "deep\n",
	} {
		if got := markdown(page, base); got != want {
			t.Errorf("%.60s:\ngot  %q\nwant %q", page, got, want)
		}
	}
}

// FuzzMarkdown checks that the text of any page has only http and https links, has no HTML, and isn't much larger than
// the page.
func FuzzMarkdown(f *testing.F) {
	base, _ := url.Parse("https://example.com/docs/")
	for _, page := range []string{
		"<table><tr><td colspan=100000000 rowspan=100000000>a<td>b</table>",
		"<ol start=99999999999999><li>a<li>b</ol>",
		strings.Repeat("<ul><li>a", 150) + strings.Repeat("b<br>", 500),
		strings.Repeat("<blockquote>", 150) + strings.Repeat("b<br>", 500),
		strings.Repeat("<table><tr><td>a", 60),
		"<a href='java\tscript:x'>j</a><img alt='](javascript:x)' src=javascript:x><img alt='<script>'>",
		"<p>&lt;script&gt;x&lt;/script&gt; <xmp><script>y</script></xmp> <plaintext><img src=x onerror=y>",
	} {
		f.Add(page)
	}
	code := regexp.MustCompile("(?i)<(?:pre|code|kbd|samp|tt|var|xmp|plaintext|listing)|`")
	f.Fuzz(func(t *testing.T, page string) {
		got := markdown(page, base)
		if most := 1000 + 40*len(page); len(got) > most {
			t.Errorf("%d bytes became %d", len(page), len(got))
		}
		doc, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return
		}
		if !code.MatchString(page) && strings.Contains(got, "<") {
			t.Errorf("an element is left: %q", got)
		}
		tidy(doc, base, 0)
		for n := range doc.Descendants() {
			if href := attr(n, "href"); n.DataAtom == atom.A && href != "" && !strings.HasPrefix(href, "http") {
				t.Errorf("a link leads to %q", href)
			}
		}
	})
}
