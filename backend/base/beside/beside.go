// Package beside finds and starts the programs that are shipped in the folder of the weft binary.
package beside

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// agentName is the built-in agent. The SDKs of the model providers are in it, and not in Weft, which would be three
// times as large with them.
const agentName = "weft-agent"

// agentCommand is the command of Weft that hands over to it.
const agentCommand = "agent"

// Find returns the path of a program in the folder of the one that runs, and whether it is there.
func Find(name string) (path string, ok bool) {
	exe, err := os.Executable()
	if err != nil {
		return name, false
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path = filepath.Join(filepath.Dir(exe), name)
	if isFile(path) {
		return path, true
	}
	if target, err := filepath.EvalSymlinks(exe); err == nil {
		if linked := filepath.Join(filepath.Dir(target), name); isFile(linked) {
			return linked, true
		}
	}
	return path, false
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Agent returns the program that is the built-in agent, and the arguments that make it that. Where weft-agent is
// missing it is Weft itself, which tells the user so (see [HandOver]). err says that neither can be found.
func Agent() (path string, args []string, err error) {
	if path, ok := Find(agentName); ok {
		return path, []string{}, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("find the built-in agent: %w", err)
	}
	return exe, []string{agentCommand}, nil
}

// AgentCommand returns a command that runs the program of the built-in agent with these arguments and this
// environment. It is killed when ctx is done.
func AgentCommand(ctx context.Context, env []string, args ...string) (*exec.Cmd, error) {
	path, first, err := Agent()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, append(first, args...)...)
	cmd.Env = append([]string{}, env...) // never nil, which would be all of this program's environment
	WithoutWindow(cmd)
	return cmd, nil
}

// HandOver is the command `weft agent`: it runs weft-agent with these arguments in place of this program, and returns
// only where that fails, with the exit code. On Windows, where no program can take the place of another one, it waits
// for it and returns its exit code.
func HandOver(args []string, stderr io.Writer) int {
	path, ok := Find(agentName)
	if !ok {
		fmt.Fprintf(stderr, "weft agent: couldn't find %s. Keep it in the folder of weft, or install Weft again.\n", path)
		return 1
	}
	code, err := Replace(path, args)
	if err != nil {
		fmt.Fprintf(stderr, "weft agent: couldn't start %s: %v. Install Weft again.\n", path, err)
		return 1
	}
	return code
}
