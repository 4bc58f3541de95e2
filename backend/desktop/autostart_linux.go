package desktop

import (
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
)

// entryDir returns the folder of the user's entries; see the Desktop Application Autostart Specification.
func entryDir() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "autostart")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config", "autostart")
}

func (a *Autostart) path() string { return filepath.Join(a.dir, "weft.desktop") }

// programOf returns the program of an entry, and whether it is on.
func programOf(text []byte) (program string, on bool) {
	ours := false
	on = true
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			ours = line == "[Desktop Entry]"
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || !ours {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "Exec":
			program = firstWord(value)
		case "Hidden":
			on = on && value != "true"
		case "X-GNOME-Autostart-enabled":
			on = on && value != "false"
		}
	}
	return program, on && program != ""
}

func (a *Autostart) content() ([]byte, error) {
	if strings.ContainsAny(a.program, "%=") {
		return nil, fault.New(fault.Invalid, "The desktop can't start a program with % or = in its path. Move Weft to another folder.")
	}
	words := []string{word(a.program)}
	for _, arg := range a.args {
		words = append(words, word(arg))
	}
	return []byte("[Desktop Entry]\nType=Application\nName=Weft\n" + comments + "Exec=" +
		strings.Join(words, " ") + "\nIcon=weft\nTerminal=false\nX-GNOME-Autostart-enabled=true\n"), nil
}

// comments are the same as in build/packages/weft.desktop. Desktops show the one in their language.
const comments = `Comment=Work with coding agents
Comment[de]=Mit Coding-Agenten arbeiten
Comment[es]=Trabajar con agentes de programación
Comment[zh_CN]=与编程智能体协作
Comment[ja]=コーディングエージェントと作業する
`

// word returns a word of an Exec key. It is escaped twice: as a quoted word, and as a value of the file.
func word(text string) string {
	text = strings.ReplaceAll(text, "%", "%%")
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("/-_.+,:@%", r) || r > 127
	}
	if text != "" && strings.TrimFunc(text, plain) == "" {
		return text
	}
	quoted := strings.NewReplacer(`"`, `\"`, "`", "\\`", `$`, `\$`, `\`, `\\`).Replace(text)
	return `"` + strings.NewReplacer(`\`, `\\`, "\t", `\t`).Replace(quoted) + `"`
}

// firstWord returns the program of an Exec key.
func firstWord(value string) string {
	value = strings.NewReplacer(`\\`, `\`, `\s`, " ", `\t`, "\t").Replace(value)
	var b strings.Builder
	quoted, escaped := false, false
	for _, r := range value {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			return strings.ReplaceAll(b.String(), "%%", "%")
		default:
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "%%", "%")
}
