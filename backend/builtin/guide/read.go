package guide

import (
	"cmp"
	"strings"
)

func (a *answer) read() error {
	subject := a.in.Subject
	if subject == "" && len(a.req.Files) > 0 {
		subject = a.req.Files[0]
	}
	if subject == "" {
		a.para("Which file? For example: `read README.md`.")
		return nil
	}
	a.para("I’ll read %s.", tick(subject))
	file, err := a.locate(subject)
	if err != nil || file == "" {
		return err
	}
	if dir, ok := strings.CutSuffix(file, "/"); ok {
		return a.explainFolder(dir)
	}
	text, err := a.Read(a.ctx, file, max(1, a.in.From), a.in.To)
	if err != nil {
		return a.failed(err, "read "+file)
	}
	switch {
	case text.Size == 0:
		a.para("%s is empty.", tick(text.Path))
		return nil
	case text.Content == "":
		a.para("%s has only %s.", tick(text.Path), count(text.TotalLines, "line", "lines"))
		return nil
	}
	shown := firstLines(text.Content, readLinesShown)
	last := text.From + strings.Count(strings.TrimSuffix(shown, "\n"), "\n")
	if text.From == 1 && last == text.TotalLines {
		a.para("%s, %s:", tick(text.Path), count(text.TotalLines, "line", "lines"))
	} else {
		a.para("%s, lines %d–%d of %s:", tick(text.Path), text.From, last, number(text.TotalLines))
	}
	a.para("%s", code(text.Path, shown))
	if asked := cmp.Or(a.in.To, text.TotalLines); last < min(asked, text.TotalLines) {
		a.para("To go on: `read %s lines %d-%d`.", text.Path, last+1, min(last+readLinesShown, text.TotalLines))
	}
	return nil
}

func firstLines(text string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	return text[:at]
}
