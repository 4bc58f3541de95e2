package settings

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"weft/backend/files/regular"
	"weft/backend/settings/secret"
)

// Read returns the text of the settings file at path. It must be a regular file of at most [MaxFile] bytes.
func Read(path string) ([]byte, error) { return regular.ReadPath(path, MaxFile) }

// Check returns what is wrong with the text of a settings file, or nil.
func Check(text []byte) *Problem {
	_, _, problem := decode(text)
	return problem
}

// WithoutSecrets returns the text of a settings file without everything that looks like a secret (see [secret.Called]
// and [secret.Without]), and without the values that r knows. A secret is replaced by [secret.MissingRef] where the
// settings allow a reference, otherwise by [secret.Missing]. places are the paths of the replaced values, such as
// "agents.NAME.env.OPENAI_API_KEY", sorted. It returns an error if the text isn't JSON.
func WithoutSecrets(text []byte, r *secret.Redactor) (out []byte, places []string, err error) {
	root, problem := parse(text)
	if problem != nil {
		return nil, nil, problem
	}
	w := &withholder{r: r}
	w.references(root)
	w.value(root, "", "", false)
	if len(w.places) == 0 {
		return text, nil, nil
	}
	out = root.indented()
	if Check(text) == nil {
		if problem := Check(out); problem != nil {
			return nil, nil, errors.Join(errors.New("without secrets the settings would be broken"), problem)
		}
	}
	return out, w.sorted(), nil
}

// Missing returns the paths in s where a secret is missing because a backup left it out, sorted.
func Missing(s Settings) []string {
	root, problem := parse(marshal(s.clone()))
	if problem != nil {
		panic(problem) // our own output
	}
	w := &withholder{finds: true}
	w.value(root, "", "", false)
	return w.sorted()
}

// withholder removes secrets from settings.
type withholder struct {
	r      *secret.Redactor
	finds  bool // only find missing secrets
	places []string
}

func (w *withholder) sorted() []string {
	slices.Sort(w.places)
	return slices.Compact(w.places)
}

func (w *withholder) note(place string) { w.places = append(w.places, secret.Without(place)) }

func join(place, key string) string {
	if place == "" {
		return key
	}
	return place + "." + key
}

// references moves secret variables and headers to where the settings keep references, and replaces invalid
// references.
func (w *withholder) references(root *node) {
	if root.kind != kindObject {
		return
	}
	secrets := root.get("agentSecrets")
	for _, a := range root.get("agents").list() {
		id := a.get("id").str()
		env := a.get("env")
		if id == "" || env == nil || secrets != nil && secrets.kind != kindObject {
			continue
		}
		refs := secrets.get(id)
		if refs == nil {
			refs = &node{kind: kindObject}
		}
		if w.move(env, refs, "agents."+id+".env", exactly) && secrets.get(id) == nil {
			if secrets == nil {
				secrets = &node{kind: kindObject}
				root.set("agentSecrets", secrets)
			}
			secrets.set(id, refs)
		}
	}
	if secrets != nil {
		for _, m := range secrets.members {
			w.checkRefs(m.value, "agentSecrets."+m.key)
		}
	}
	for _, m := range root.get("mcpServers").list() {
		same := exactly
		for _, kind := range [][2]string{{"env", "secretEnv"}, {"headers", "secretHeaders"}} {
			place := "mcpServers." + m.get("name").str() + "."
			if kind[0] == "headers" {
				same = strings.EqualFold
			}
			refs := m.get(kind[1])
			if refs == nil {
				refs = &node{kind: kindObject}
			}
			if plain := m.get(kind[0]); plain != nil && w.move(plain, refs, place+kind[0], same) && m.get(kind[1]) == nil {
				m.set(kind[1], refs)
			}
			w.checkRefs(m.get(kind[1]), place+kind[1])
		}
	}
}

func missingRef() *node { return &node{kind: kindString, raw: marshal(string(secret.MissingRef))} }

func exactly(a, b string) bool { return a == b }

// move moves the secrets among plain values to refs, unless refs has the same name. It reports whether it moved any.
func (w *withholder) move(plain, refs *node, place string, same func(a, b string) bool) (moved bool) {
	if plain.kind != kindObject || refs.kind != kindObject {
		return false
	}
	for _, m := range slices.Clone(plain.members) {
		if m.value.kind == kindString && w.is(m.key, m.value.str()) && !refs.has(m.key, same) {
			plain.remove(m.key)
			refs.set(m.key, missingRef())
			w.note(place + "." + m.key)
			moved = true
		}
	}
	return moved
}

// is reports whether a whole value is a secret.
func (w *withholder) is(name, value string) bool {
	return secret.Called(name, value) || w.r.Knows(value)
}

func (n *node) has(key string, same func(a, b string) bool) bool {
	return slices.ContainsFunc(n.members, func(m member) bool { return same(m.key, key) })
}

// checkRefs replaces values that should be references but aren't, because someone wrote the secret itself.
func (w *withholder) checkRefs(refs *node, place string) {
	if refs == nil || refs.kind != kindObject {
		return
	}
	for _, m := range refs.members {
		if m.value.kind == kindString && m.value.str() != "" && !secret.Ref(m.value.str()).Valid() {
			refs.set(m.key, missingRef())
			w.note(place + "." + m.key)
		}
	}
}

// value processes a value. name is the name of the value, or of the list that contains it. all reports that an
// enclosing value has the name of a secret.
func (w *withholder) value(n *node, place, name string, all bool) {
	switch n.kind {
	case kindObject:
		w.object(n, place, all)
	case kindArray:
		for i, item := range n.items {
			key := strconv.Itoa(i)
			for _, id := range []string{"id", "name"} {
				if text := item.get(id).str(); text != "" {
					key = text
					break
				}
			}
			what := name
			if i > 0 && item.kind == kindString {
				if before := n.items[i-1].str(); strings.HasPrefix(before, "-") && !strings.ContainsAny(before, "= ") && !strings.HasPrefix(item.str(), "-") {
					what = before
				}
			}
			w.value(item, join(place, key), what, all)
		}
	case kindString:
		text := n.str()
		if w.finds {
			if strings.Contains(text, secret.Missing) || text == string(secret.MissingRef) {
				w.note(place)
			}
			return
		}
		if out := w.without(text, name, all); out != text {
			n.raw = marshal(out)
			w.note(place)
		}
	case kindNumber:
		if !w.finds && (secret.Called(name, string(n.raw)) || all && secret.Called("secret", string(n.raw))) {
			*n = node{offset: n.offset, kind: kindString, raw: marshal(secret.Missing)}
			w.note(place)
		}
	}
}

func (w *withholder) object(n *node, place string, all bool) {
	// {"name": "Authorization", "value": "…"} counts as a member too.
	title := ""
	for _, key := range []string{"name", "key", "header", "variable"} {
		if title == "" && n.get("value") != nil {
			title = n.get(key).str()
		}
	}
	for i := range n.members {
		m := &n.members[i]
		name := m.key
		if m.key == "value" && title != "" {
			name = title
		}
		const short = "word" // a secret only if the name says so
		several := m.value.kind == kindObject || m.value.kind == kindArray
		w.value(m.value, join(place, m.key), name, all || several && secret.Called(m.key, short))
		if w.finds {
			continue
		}
		if key := secret.Without(w.known(m.key)); key != m.key {
			for n.get(key) != nil {
				key += "-"
			}
			w.note(join(place, m.key))
			m.key = key
		}
	}
}

// without returns a text without secrets.
func (w *withholder) without(text, name string, all bool) string {
	if secret.Called(name, text) || all && secret.Called("secret", text) {
		return secret.Missing
	}
	if strings.HasPrefix(name, "-") {
		// Treat it as the value of an option, which may contain a name and a password.
		if all := secret.Without(name + " " + text); strings.HasPrefix(all, name+" ") {
			return w.known(strings.TrimPrefix(all, name+" "))
		}
	}
	return secret.Without(w.known(text))
}

// known returns a text without the values that the redactor knows.
func (w *withholder) known(text string) string {
	out := w.r.PrintedText(text)
	if out == text {
		return text
	}
	return strings.ReplaceAll(out, secret.Hidden, secret.Missing)
}
