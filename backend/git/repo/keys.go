package repo

import "strings"

// Use is when git runs the command of a setting.
type Use string

// Uses.
const (
	Never   Use = ""        // not a command
	Reading Use = "reading" // also if git only reads the repository
	Network Use = "network" // when git connects to another repository
	Writing Use = "writing" // when git changes something or opens an editor
)

// commands are the settings that name a command, as "section.name", or as "section.*.name" with any subsection.
var commands = map[string]Use{
	"core.fsmonitor": Reading, "core.hookspath": Reading, "core.pager": Reading, "diff.external": Reading, "diff.*.command": Reading, "diff.*.textconv": Reading,
	"filter.*.clean": Reading, "filter.*.smudge": Reading, "filter.*.process": Reading, "gpg.program": Reading, "gpg.*.program": Reading,
	"gpg.ssh.defaultkeycommand": Writing, "hook.*.command": Reading, "core.alternaterefscommand": Reading,
	"tar.*.command": Reading, "gc.recentobjectshook": Reading, "interactive.difffilter": Reading,
	"lfs.standalonetransferagent": Reading, "lfs.*.standalonetransferagent": Reading,

	"core.sshcommand": Network, "core.gitproxy": Network, "core.askpass": Network, "credential.helper": Network, "credential.*.helper": Network,
	"remote.*.vcs": Network, "remote.*.uploadpack": Network, "remote.*.receivepack": Network, "remote.*.proxy": Network,
	"url.*.insteadof": Network, "url.*.pushinsteadof": Network, "protocol.allow": Network, "protocol.*.allow": Network,
	"uploadpack.packobjectshook": Network, "imap.tunnel": Network, "sendemail.smtpserver": Network, "fetch.bundleuri": Network, "http.proxy": Network, "http.*.proxy": Network,

	"core.editor": Writing, "sequence.editor": Writing, "merge.*.driver": Writing, "submodule.*.update": Writing, "trailer.*.command": Writing, "trailer.*.cmd": Writing,
	"difftool.*.cmd": Writing, "difftool.*.path": Writing, "mergetool.*.cmd": Writing, "mergetool.*.path": Writing, "guitool.*.cmd": Writing,
	"man.*.cmd": Writing, "man.*.path": Writing, "browser.*.cmd": Writing, "browser.*.path": Writing, "web.browser": Writing, "instaweb.browser": Writing, "instaweb.httpd": Writing,
	"init.templatedir": Writing, "help.browser": Writing,
}

// harmless are settings whose names only sound like those of commands.
var harmless = map[string]bool{
	"filter.*.required": true, "diff.*.cachetextconv": true, "log.showsignature": true, "core.commentchar": true, "diff.tool": true, "merge.tool": true,
	"difftool.prompt": true, "mergetool.prompt": true, "mergetool.keepbackup": true, "credential.username": true, "credential.*.username": true, "credential.usehttppath": true,
	"gpg.format": true, "gpg.ssh.allowedsignersfile": true, "merge.*.name": true, "rebase.instructionformat": true, "log.diffmerges": true, "fetch.unpacklimit": true,
	"commit.cleanup": true, "column.clean": true, "rebase.abbreviatecommands": true, "rebase.reschedulefailedexec": true, "core.fsmonitorhookversion": true,
	"http.proxyauthmethod": true, "submodule.*.ignore": true, "remote.*.partialclonefilter": true, "http.sslverify": true, "difftool.trustexitcode": true, "mergetool.*.trustexitcode": true, "submodule.*.fetchrecursesubmodules": true,
	"lfs.repositoryformatversion": true, "lfs.*.access": true, "lfs.allowincompletepush": true, "gui.wmstate": true, "gui.geometry": true,
}

// sounds are name parts of settings that probably name a command, for settings in neither table: other programs read
// the configuration too, and future versions of git will know more settings.
var sounds = []string{"command", "cmd", "program", "helper", "driver", "exec", "hook", "editor", "pager", "textconv", "browser", "proxy", "askpass", "ssh", "process", "clean", "smudge", "script"}

// general replaces the subsection of a key by a star.
func (e Entry) general() string {
	section, _, name := e.Split()
	if strings.Count(e.Key, ".") < 2 {
		return e.Key
	}
	return section + ".*." + name
}

// Use returns when git runs the command of the setting.
func (e Entry) Use() Use {
	section, subsection, name := e.Split()
	switch {
	case section == "alias":
		if name = strings.TrimSpace(e.Value); strings.HasPrefix(name, "!") || strings.HasPrefix(name, "-") || !plainWords(name) {
			return Writing
		}
		return Never
	case section == "pager":
		if boolean(e) {
			return Never
		}
		return Reading
	case e.Key == "core.fsmonitor" && boolean(e): // git's built-in monitor, or none
		return Never
	case section == "submodule" && name == "update" && !strings.HasPrefix(e.Value, "!"):
		return Never
	case section == "lfs" && strings.HasPrefix(subsection, "extension."):
		return Reading
	case section == "lfs" && strings.HasPrefix(subsection, "customtransfer."):
		return Reading
	}
	if use, ok := commands[e.Key]; ok {
		return use
	}
	general := e.general()
	if use, ok := commands[general]; ok {
		return use
	}
	if harmless[e.Key] || harmless[general] || section == "branch" || section == "user" || section == "color" || section == "advice" {
		return Never
	}
	for _, part := range sounds {
		if strings.Contains(name, part) {
			return Reading
		}
	}
	return Never
}

// boolean reports whether the value is a boolean.
func boolean(e Entry) bool {
	switch strings.ToLower(e.Value) {
	case "", "true", "yes", "on", "1", "false", "no", "off", "0":
		return true
	}
	return false
}

// plainWords reports whether an alias is only a subcommand with plain arguments.
func plainWords(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -=./_:%") == ""
}
