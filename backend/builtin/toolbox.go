package builtin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/base/lazyregexp"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/settings/secret"
)

// The default and the maximum timeout of a command.
const (
	shellTimeout = 2 * time.Minute
	shellLimit   = time.Hour
)

// toolbox holds the tools of a turn and their environment.
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

// specs returns the tools as a model needs them, in order.
func specs(all []tool.Tool) []llm.Tool {
	out := make([]llm.Tool, len(all))
	for i := range all {
		out[i] = all[i].Tool
	}
	return out
}

// keptFiles stores tool results that are too long for the model, which can read them by their paths.
type keptFiles struct {
	dir  string
	hide *secret.Redactor // removes secrets before writing
}

// kept returns the kept files of a session.
func (st sessionStore) kept(id acp.SessionId) keptFiles {
	return keptFiles{dir: filepath.Join(st.dir, string(id)+".files"), hide: st.hide}
}

// keptScheme is the prefix of a kept file's path for the model.
const keptScheme = "kept:"

var (
	keptName  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$`)
	notInName = lazyregexp.New(`[^A-Za-z0-9._-]+`)
)

// find returns the path on disk of a kept file. It returns false if path isn't one of keptScheme.
func (k keptFiles) find(path string) (string, bool) {
	name, ok := strings.CutPrefix(path, keptScheme)
	return filepath.Join(k.dir, name), ok && keptName.MatchString(name)
}

// add stores a file under a unique name and returns its path for the model.
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
