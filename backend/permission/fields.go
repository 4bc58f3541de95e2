package permission

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission/shell"
)

// role is the meaning of a member of a tool's arguments.
type role int

const (
	roleUnknown   role = iota
	roleCommand        // a command line, or a program with its arguments
	roleArgs           // arguments of the command
	roleDir            // the folder in which the command runs
	roleDirOrFile      // the working directory if there is a command, otherwise a file
	roleEnv            // variables of the command
	roleInput          // standard input of the command, or a patch
	roleShell          // the program that reads the command line
	rolePath           // files; the roles above may occur only once per object
	roleText           // text of a file, which the diff of the call shows too
	roleHarmless       // a scalar that doesn't affect what runs
	roleNote           // like roleHarmless, with a value of any form
)

// fieldRoles maps the normalized names of the members that agents are known to send to their roles.
var fieldRoles = func() map[string]role {
	roles := map[string]role{}
	for r, names := range map[role]string{
		roleCommand:   "command cmd script commandline commands",
		roleArgs:      "args arguments argv",
		roleDir:       "cwd workdir workingdirectory workingdir currentdirectory currentworkingdirectory cd",
		roleDirOrFile: "directory dir dirpath folder",
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

// readFields are further members that tools for reading, searching and fetching are known to have. A text in any other
// member could be something that the agent runs.
var readFields = shell.WordSet("pattern patterns query queries q regex regexp glob globs include exclude includepattern excludepattern filepattern globpattern url urls prompt " +
	"line lines linerange lineranges viewrange range ranges outputmode type types format encoding language context symbol sort order todos plan entries plans thoughts " +
	"alloweddomains blockeddomains domains ids id name names key keys ignore ignorepatterns filefilteringoptions respectgitignore topic libraryname")

// editFields are further members that tools for changing files are known to have.
var editFields = shell.WordSet("edits edit hunks old new instruction instructions displaydescription editmode cellid celltype insertline")

// normalizedName returns a member's name in lower case without separators, because agents spell the same name in many
// ways.
func normalizedName(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// Substrings of member names that suggest an escalation of rights. A strong name escalates unless its value means no.
// A weak name is also a common word, so it escalates only if its value means yes. A protection escalates if its value
// means no or names a risky level.
var (
	strongNames     = []string{"danger", "escalat", "privileg", "bypass", "unsafe", "elevat", "sudo", "unrestrict", "unsandbox", "nosandbox", "unconfined", "insecure", "noconfirm", "yolo", "additionalpermission"}
	weakNames       = []string{"skip", "force", "override", "admin", "root", "network", "internet", "permission", "trust", "disable", "ignorerules", "grant", "fullaccess", "autoapprove"}
	protectionNames = []string{"sandbox", "isolat", "restrict", "confine", "seccomp", "apparmor", "readonly"}
	levelNames      = []string{"mode", "permissionmode", "approvalmode", "approvalpolicy", "policy", "profile", "security", "securitylevel", "accesslevel", "access"}
	raisingValues   = []string{"danger", "escalat", "privileg", "bypass", "unsafe", "elevat", "unrestrict", "unconfined", "fullaccess", "fullauto", "yolo", "additional", "host", "sudo", "root", "admin"}
)

func containsAny(text string, pieces []string) bool {
	return slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(text, piece) })
}

// escalates reports whether a member escalates rights or turns off a protection. about reports that the name is of this
// kind, although this value changes nothing.
func escalates(name string, value jsontext.Value) (yes, about bool) {
	said := scalarText(value)
	strong, protects := containsAny(name, strongNames), containsAny(name, protectionNames)
	weak := containsAny(strings.ReplaceAll(name, "enforce", ""), weakNames)
	switch {
	case fieldRoles[name] != roleUnknown && !slices.Contains(levelNames, name):
		return false, false
	case slices.Contains(levelNames, name):
		return value.Kind() == '"' && containsAny(said, raisingValues), false
	case strong, protects && weak: // "disable_sandbox", "sandbox_permissions"
		return !isNo(said, value) && !isDefault(said), true
	case protects:
		return isNo(said, value) || value.Kind() == '"' && containsAny(said, raisingValues), true
	case weak:
		return isYes(said), isYes(said) || isNo(said, value)
	}
	return false, false
}

// scalarText returns a scalar as normalized text.
func scalarText(value jsontext.Value) string {
	if s, ok := text(value); ok {
		return normalizedName(strings.TrimSpace(s))
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
