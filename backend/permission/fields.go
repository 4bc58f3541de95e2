package permission

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission/shell"
)

// role is what a member of a tool's arguments means to Weft.
type role int

const (
	roleUnknown  role = iota
	roleCommand       // a command line, or a program with its arguments
	roleArgs          // arguments of the command
	roleDir           // the folder in which the command runs
	rolePlace         // that folder where there is a command, a file otherwise
	roleEnv           // variables of the command
	roleInput         // what the command reads, or a patch
	roleShell         // the program that reads the command line
	rolePath          // files; the roles before it can be had once only
	roleText          // text of a file, which the call's diff shows as well
	roleHarmless      // a scalar that changes nothing about what runs
	roleNote          // the same, of any form
)

// fieldRoles are the members that agents are known to send, by their simplified names.
var fieldRoles = func() map[string]role {
	roles := map[string]role{}
	for r, names := range map[role]string{
		roleCommand: "command cmd script commandline commands",
		roleArgs:    "args arguments argv",
		roleDir:     "cwd workdir workingdirectory workingdir currentdirectory currentworkingdirectory cd",
		rolePlace:   "directory dir dirpath folder",
		rolePath: "path filepath file filename abspath absolutepath targetfile targetpath targetdirectory target notebookpath oldpath newpath source destination " +
			"sourcepath destinationpath movepath uri paths files filepaths",
		roleEnv:   "env environment environmentvariables envvars variables",
		roleInput: "stdin input interactioninput",
		roleShell: "shell",
		roleText: "content contents filetext filecontent text newstring newstr newtext newsource newcontent oldstring oldstr oldtext oldcontent " +
			"diff patch patchtext unifieddiff codeedit search replace replacement",
		roleHarmless: "description commanddescription explanation justification reason title summary purpose intent thought toolname toolcallid calltitle " +
			"timeout timeoutms timeoutsec timeoutsecs timeoutseconds yieldtimems initialwait wait waitms maxwaitseconds maxoutputtokens maxoutputlength maxoutputchars " +
			"runinbackground isbackground background detach async tty login keepstdinopen mode " +
			"requiresapproval requireuserapproval securityrisk sessionid shellid terminalid callid turnid approvalid itemid threadid processid startedatms",
		roleNote: "parsedcmd commandactions availabledecisions proposedexecpolicyamendment",
	} {
		for name := range strings.FieldsSeq(names) {
			roles[name] = r
		}
	}
	return roles
}()

// lookFields are the members besides those of fieldRoles that tools which read, search or fetch are known to have. Any other one with a text could
// be what the agent runs.
var lookFields = shell.WordSet("pattern patterns query queries q regex regexp glob globs include exclude includepattern excludepattern filepattern globpattern url urls prompt " +
	"line lines linerange lineranges viewrange range ranges outputmode type types format encoding language context symbol sort order todos plan entries plans thoughts " +
	"alloweddomains blockeddomains domains ids id name names key keys ignore ignorepatterns filefilteringoptions respectgitignore topic libraryname")

// editFields are the same for tools that change files.
var editFields = shell.WordSet("edits edit hunks old new instruction instructions displaydescription editmode cellid celltype insertline")

// simplified is a member's name without case and separators: agents spell the same one in many ways.
func simplified(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// The pieces of names that say that a member raises rights. Strong ones do with any value but a no; weak ones, which are common
// words as well, only with a yes; protections do with a no, or with a value that says so.
var (
	strongNames     = []string{"danger", "escalat", "privileg", "bypass", "unsafe", "elevat", "sudo", "unrestrict", "unsandbox", "nosandbox", "unconfined", "insecure", "noconfirm", "yolo", "additionalpermission"}
	weakNames       = []string{"skip", "force", "override", "admin", "root", "network", "internet", "permission", "trust", "disable", "ignorerules", "grant", "fullaccess", "autoapprove"}
	protectionNames = []string{"sandbox", "isolat", "restrict", "confine", "seccomp", "apparmor", "readonly"}
	levelNames      = []string{"mode", "permissionmode", "approvalmode", "approvalpolicy", "policy", "profile", "security", "securitylevel", "accesslevel", "access"}
	raisingValues   = []string{"danger", "escalat", "privileg", "bypass", "unsafe", "elevat", "unrestrict", "unconfined", "fullaccess", "fullauto", "yolo", "additional", "host", "sudo", "root", "admin"}
)

func holdsAny(text string, pieces []string) bool {
	return slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(text, piece) })
}

// raises reports whether a member raises rights or switches off a protection. about is true where its name is of that class at all: with
// the value that it has, it changes nothing then.
func raises(name string, value jsontext.Value) (yes, about bool) {
	said := scalarText(value)
	strong, protects := holdsAny(name, strongNames), holdsAny(name, protectionNames)
	weak := holdsAny(strings.ReplaceAll(name, "enforce", ""), weakNames)
	switch {
	case fieldRoles[name] != roleUnknown && !slices.Contains(levelNames, name):
		return false, false
	case slices.Contains(levelNames, name):
		return value.Kind() == '"' && holdsAny(said, raisingValues), false
	case strong, protects && weak: // "disable_sandbox", "sandbox_permissions"
		return !isNo(said, value) && !isDefault(said), true
	case protects:
		return isNo(said, value) || value.Kind() == '"' && holdsAny(said, raisingValues), true
	case weak:
		return isYes(said), isYes(said) || isNo(said, value)
	}
	return false, false
}

// scalarText is a scalar as a simplified text.
func scalarText(value jsontext.Value) string {
	if s, ok := text(value); ok {
		return simplified(strings.TrimSpace(s))
	}
	if k := value.Kind(); k == '{' || k == '[' {
		return ""
	}
	return string(value)
}

func isNo(said string, value jsontext.Value) bool {
	switch said {
	case "false", "null", "0", "no", "off", "none", "never", "disabled":
		return true
	case "":
		return value.Kind() == '"' || len(value) == 2 // "", {} and []
	}
	return false
}

func isYes(said string) bool {
	switch said {
	case "true", "1", "yes", "on", "all", "always", "full", "enabled":
		return true
	}
	return false
}

func isDefault(said string) bool {
	return said == "default" || said == "usedefault" || said == "inherit" || said == "auto"
}
