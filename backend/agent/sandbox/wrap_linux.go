package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"weft/backend/base/fault"
)

// unset are environment variables that name hidden sockets, or keys for them.
var unset = []string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", busVariable, "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DOCKER_HOST", "CONTAINER_HOST",
	"TMUX", "STY", "WSL_INTEROP", "VSCODE_IPC_HOOK_CLI", "KITTY_LISTEN_ON", "NVIM",
}

// Wrap returns the command that runs a program in the sandbox. path is absolute. It creates the agent's own folders in
// the home if they must be mounted and don't exist. It may block while bubblewrap is probed. Errors: *Error if there
// can be no sandbox.
func (p Plan) Wrap(path string, args []string) (Command, error) {
	home := p.Home
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return Command{}, fault.New("sandbox_refused", "Couldn't start the sandbox: the home folder is unknown.").Because(err)
		}
	}
	folder, err := filepath.EvalSymlinks(p.Folder)
	if err != nil {
		return Command{}, fault.New("sandbox_refused", "Couldn't start the sandbox: the folder {{folder}} can't be opened.", p.Folder).Because(err)
	}
	bubblewrap, err := find()
	if err != nil && p.SealOnly && landlock() >= landlockSeals {
		c := Command{Path: path, Args: args, Restriction: p.restriction(home, folder)}
		c.Env = c.Restriction.elsewhere(home)
		return c, nil
	}
	if err != nil {
		if why := (*Error)(nil); errors.As(err, &why) && !p.SealOnly {
			err = fault.New(why.Code, "{{reason}} Or turn the sandbox off for this agent in Settings.", why).Because(err)
		}
		return Command{}, err
	}
	p.Visible = append(slices.Clone(p.Visible), path)
	c := Command{Path: bubblewrap}
	if p.SealOnly {
		if socket, end, ok := keyringBus(); ok {
			p.Visible, c.Env, c.End = append(p.Visible, socket), []string{busVariable + "=unix:path=" + socket}, end
		}
	}
	began, m := time.Now(), p.mounts(home, folder)
	c.Args = append(append(p.arguments(m, c.Env != nil), "--", path), args...)
	if covered := m.covered(); len(covered) > 0 {
		end := c.End
		c.End = func() {
			if end != nil {
				end()
			}
			removeLeftovers(covered, began)
		}
	}
	if scopes(bubblewrap) {
		c.Restriction = &Restriction{Scoped: true}
	}
	return c, nil
}

// arguments returns the arguments for bubblewrap. bus reports that the program has a session bus. Later mounts cover
// earlier ones.
func (p Plan) arguments(m mounts, bus bool) []string {
	args := []string{"--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"}
	if p.SealOnly {
		for _, name := range keptRights() {
			args = append(args, "--cap-add", name)
		}
	}
	if p.Offline {
		args = append(args, "--unshare-net")
	}
	for _, name := range unset {
		if name != busVariable || !bus {
			args = append(args, "--unsetenv", name)
		}
	}
	if !p.SealOnly {
		args = append(args, "--unsetenv", "KUBECONFIG", "--setenv", "XDG_CACHE_HOME", "/tmp/cache", "--setenv", "TMPDIR", "/tmp")
	}
	if m.above("/tmp") == readable {
		args = append(args, "--setenv", "TMPDIR", "/dev/shm") // private to the sandbox
	}
	args = append(args, string(m["/"]), "/", "/", "--dev", "/dev", "--proc", "/proc")
	return append(args, m.arguments()...)
}
