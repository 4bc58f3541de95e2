package desktop

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
)

func entryDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "Library", "LaunchAgents")
}

func (a *Autostart) path() string { return filepath.Join(a.dir, "app.weft.plist") }

// programOf returns the program of an entry, and whether it is on.
func programOf(text []byte) (program string, on bool) {
	var list struct {
		Arguments []string `xml:"dict>array>string"`
	}
	if xml.Unmarshal(text, &list) != nil || len(list.Arguments) == 0 {
		return "", false
	}
	return list.Arguments[0], true
}

func (a *Autostart) content() ([]byte, error) {
	var words strings.Builder
	for _, word := range append([]string{a.program}, a.args...) {
		var text bytes.Buffer
		if err := xml.EscapeText(&text, []byte(word)); err != nil {
			return nil, err
		}
		words.WriteString("\t\t<string>" + text.String() + "</string>\n")
	}
	return []byte(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>app.weft</string>
	<key>ProgramArguments</key>
	<array>
` + words.String() + `	</array>
	<key>RunAtLoad</key>
	<true/>
</dict>
</plist>
`), nil
}
