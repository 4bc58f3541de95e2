package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestManPageHasTheHelpOfAllCommands(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"__complete ":  "serve\tthe same for a browser\nhelp\tHelp about any command\n:4\n",
		"--help":       "Weft works with agents.\n\nUsage:\n  weft [command]\n",
		"serve --help": ".starts with a dot \\ and a backslash\n\nFlags:\n      --data FOLDER   'quoted'\n",
		"help --help":  "Help provides help.\n",
	}
	weft := func(args ...string) (string, error) {
		text, ok := texts[strings.Join(args, " ")]
		if !ok {
			return "", errors.New("no such command")
		}
		return text, nil
	}
	page, err := man(weft, "1.2.3", time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`.TH WEFT 1 "1970-01-01" "Weft 1.2.3"`, "Weft works with agents.", ".SS weft serve\n.nf\n\\&.starts with a dot \\e and a backslash", `\-\-data FOLDER   'quoted'`, ".SS weft help\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	delete(texts, "serve --help")
	if page, err := man(weft, "1.2.3", time.Unix(0, 0).UTC()); err == nil {
		t.Errorf("a command without a help is in\n%s", page)
	}
}
