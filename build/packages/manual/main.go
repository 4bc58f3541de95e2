// Command manual writes the man page and the shell completions of Weft. Both come from the program itself, so that they
// name the commands and options that it has.
//
//	manual -program build/bin/weft -out DIR -date SECONDS -version VERSION
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	program := flag.String("program", "build/bin/weft", "the program")
	out := flag.String("out", "", "folder to write to, as below /usr/share")
	date := flag.Int64("date", 0, "date of the page, in seconds since 1970")
	version := flag.String("version", "", "version of Weft")
	flag.Parse()
	if *out == "" || *version == "" || flag.NArg() > 0 {
		return errors.New("-out and -version are required")
	}
	exe, err := filepath.Abs(*program)
	if err != nil {
		return err
	}
	weft := func(args ...string) (string, error) { return printed(ctx, exe, args) }
	files := map[string]string{}
	for shell, name := range map[string]string{
		"bash": "bash-completion/completions/weft", "zsh": "zsh/site-functions/_weft", "fish": "fish/vendor_completions.d/weft.fish",
	} {
		if files[name], err = weft("completion", shell); err != nil {
			return err
		}
	}
	if files["man/man1/weft.1"], err = man(weft, *version, time.Unix(*date, 0).UTC()); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(*out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// home is where the program believes to be at home, so that the page doesn't depend on who builds it.
const home = "/home/you"

// printed is what the program prints.
func printed(ctx context.Context, exe string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	var problems strings.Builder
	cmd.Stderr = &problems
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("weft %s: %w: %s", strings.Join(args, " "), err, &problems)
	}
	return strings.ReplaceAll(string(text), home, "~"), nil
}

// man is the page weft(1): the help of the program, and of each of its commands.
func man(weft func(args ...string) (string, error), version string, date time.Time) (string, error) {
	list, err := weft("__complete", "")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH WEFT 1 %q %q \"User commands\"\n", date.Format(time.DateOnly), "Weft "+version)
	b.WriteString(".SH NAME\nweft \\- work with coding agents that speak the Agent Client Protocol\n")
	section := func(title string, args ...string) error {
		text, err := weft(append(args, "--help")...)
		fmt.Fprintf(&b, "%s\n.nf\n%s\n.fi\n", title, roff(strings.TrimSpace(text)))
		return err
	}
	if err := section(".SH DESCRIPTION"); err != nil {
		return "", err
	}
	b.WriteString(".SH COMMANDS\n")
	for line := range strings.Lines(list) {
		if command, _, ok := strings.Cut(line, "\t"); ok {
			if err := section(".SS weft "+command, command); err != nil {
				return "", err
			}
		}
	}
	b.WriteString(`.SH FILES
.TP
.I ~/.local/share/weft
Conversations, earlier versions of files that agents changed, and logs.
.TP
.I ~/.config/weft/settings.json
Settings. You can edit the file.
`)
	return b.String(), nil
}

// roff writes text as roff takes it literally.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "…", `...`, "’", "'").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
