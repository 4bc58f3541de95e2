package desktop

import (
	"bytes"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/atomicfile"
)

func entryDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "Library", "LaunchAgents")
}

func (a *Autostart) path() string { return filepath.Join(a.dir, "app.weft.plist") }

func (a *Autostart) read() (program string, on bool, err error) {
	text, err := os.ReadFile(a.path())
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	var list struct {
		Arguments []string `xml:"dict>array>string"`
	}
	if xml.Unmarshal(text, &list) != nil || len(list.Arguments) == 0 {
		return "", false, nil
	}
	return list.Arguments[0], true, nil
}

func (a *Autostart) write() error {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	var words strings.Builder
	for _, word := range append([]string{a.program}, a.args...) {
		var text bytes.Buffer
		if err := xml.EscapeText(&text, []byte(word)); err != nil {
			return err
		}
		words.WriteString("\t\t<string>" + text.String() + "</string>\n")
	}
	return atomicfile.Write(a.path(), []byte(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>app.weft</string>
	<key>ProgramArguments</key>
	<array>
`+words.String()+`	</array>
	<key>RunAtLoad</key>
	<true/>
</dict>
</plist>
`), 0o600)
}

func (a *Autostart) remove() error { return os.Remove(a.path()) }
