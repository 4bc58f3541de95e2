package shell

// A launcher is a program that starts a command in its arguments, or a script in one of them.
type launcher struct {
	subcommands map[string]bool // that start a command; nil if the program always does
	values      string          // letters of the options whose value is the next word
	skip        int             // words between the options and the command
	named       bool            // values and skip are known, so the card can name the inner program
}

// launchers are the known launchers, by name. For the rules, every argument may begin a command, because where the
// options end isn't certain.
var launchers = func() map[string]launcher {
	all := map[string]launcher{}
	for name := range WordSet(`su runuser pkexec gosu su-exec eval trap prlimit gtimeout unbuffer find nsenter setpriv capsh ssh mosh script scriptlive ltrace valgrind perf systemd-run systemd-inhibit firejail bwrap proot fakeroot
		faketime cgexec numactl xvfb-run dbus-run-session dbus-launch rlwrap tini dumb-init entr watchexec nodemon concurrently npx pnpx bunx uvx pipx expect noglob nocorrect repeat coproc start-stop-daemon daemonize
		tmux screen at batch crontab hyperfine arch linux32 linux64 setarch aa-exec runcon winpty wsl cmd cmd.exe powershell pwsh csh tcsh nu xonsh elvish rustup direnv mise asdf conda mamba nix nix-shell nvm volta fnm op doppler heroku vagrant`) {
		all[name] = launcher{}
	}
	for name, subcommands := range map[string]string{
		"git": "bisect rebase submodule filter-branch difftool mergetool", "npm": "exec x", "pnpm": "exec dlx", "yarn": "exec dlx", "bun": "x",
		"uv": "run tool", "poetry": "run", "pipenv": "run", "pdm": "run", "hatch": "run env", "rye": "run", "bundle": "exec", "cargo": "watch",
		"docker": "run exec compose container create", "podman": "run exec compose container create", "nerdctl": "run exec compose", "kubectl": "exec run debug", "oc": "exec run rsh debug",
	} {
		all[name] = launcher{subcommands: WordSet(subcommands)}
	}
	for name, l := range map[string]launcher{
		"sudo": {values: "ugphCrtTUDR"}, "doas": {values: "uC"}, "env": {values: "uCS"}, "nohup": {}, "nice": {values: "n"}, "ionice": {values: "cnpPu"},
		"time": {values: "fo"}, "timeout": {values: "ks", skip: 1}, "xargs": {values: "IEnPLdsa"}, "setsid": {}, "stdbuf": {values: "ioe"}, "watch": {values: "nd"},
		"busybox": {}, "command": {}, "builtin": {}, "exec": {values: "a"}, "flock": {values: "wE", skip: 1}, "chroot": {skip: 1}, "taskset": {skip: 1}, "strace": {values: "eopPs"},
		"unshare": {}, "chrt": {skip: 1}, "toybox": {}, "caffeinate": {}, "parallel": {values: "j"},
	} {
		l.named = true
		all[name] = l
	}
	return all
}()

// launches reports whether the command starts another one in its arguments. base is the name of its program.
func (c *Command) launches(base string) bool {
	l, ok := launchers[base]
	if !ok || l.subcommands == nil {
		return ok
	}
	for i := 1; i < len(c.Words) && i < 8; i++ {
		if l.subcommands[c.Words[i]] {
			return true
		}
	}
	return false
}
