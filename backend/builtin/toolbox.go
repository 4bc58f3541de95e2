package builtin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/lazyregexp"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/secret"
)

// How long a command may run if the model does not say, and the longest that it may ask for.
const (
	shellTimeout = 2 * time.Minute
	shellLimit   = time.Hour
)

// toolbox is the tools of a turn, and what they work with.
type toolbox struct {
	byName map[string]*tool.Tool
	env    *tool.Env
}

func newToolbox(all []tool.Tool, env *tool.Env) toolbox {
	b := toolbox{byName: make(map[string]*tool.Tool, len(all)), env: env}
	for i := range all {
		b.byName[all[i].Name] = &all[i]
	}
	return b
}

// names returns the names of the tools as a list for the model.
func (b toolbox) names() string {
	var names []string
	for name := range b.byName {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// specs returns what a model needs to know of the tools, in their order.
func specs(all []tool.Tool) []llm.Tool {
	out := make([]llm.Tool, len(all))
	for i := range all {
		out[i] = all[i].Tool
	}
	return out
}

// keptFiles are the results of a session's tools that were too long for the model, which can read them by their paths.
type keptFiles struct {
	dir  string
	hide *secret.Redactor // secrets that are not written
}

// kept returns the files that are kept for a session.
func (st sessionStore) kept(id acp.SessionId) keptFiles {
	return keptFiles{dir: filepath.Join(st.dir, string(id)+".files"), hide: st.hide}
}

// keptScheme begins the path by which the model finds a file.
const keptScheme = "kept:"

var (
	keptName  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$`)
	notInName = lazyregexp.New(`[^A-Za-z0-9._-]+`)
)

// find returns where the file with a path of keptScheme is stored.
func (k keptFiles) find(path string) (string, bool) {
	name, ok := strings.CutPrefix(path, keptScheme)
	return filepath.Join(k.dir, name), ok && keptName.MatchString(name)
}

// add stores a file and returns its path. The name is made unique.
func (k keptFiles) add(name string, content []byte) (string, error) {
	content = k.hide.Printed(content)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return "", err
	}
	base := strings.Trim(notInName.ReplaceAllString(name, "-"), "-.")
	for n := 1; ; n++ {
		try := fmt.Sprintf("%s-%d.txt", base[:min(len(base), 60)], n)
		file, err := os.OpenFile(filepath.Join(k.dir, try), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(content)
		if cerr := file.Close(); err == nil {
			err = cerr
		}
		return keptScheme + try, err
	}
}
