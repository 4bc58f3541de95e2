// Command manual writes the man page and the shell completions of Weft from what the program itself prints for --help, so that they name
// the commands and options that it has.
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
	c, err := readCLI(func(args ...string) (string, error) { return help(ctx, exe, args) })
	if err != nil {
		return err
	}
	files := map[string]string{
		"man/man1/weft.1":                     c.man(*version, time.Unix(*date, 0).UTC()),
		"bash-completion/completions/weft":    c.bash(),
		"zsh/site-functions/_weft":            c.zsh(),
		"fish/vendor_completions.d/weft.fish": c.fish(),
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

func help(ctx context.Context, exe string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, exe, append(args, "--help")...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	var problems strings.Builder
	cmd.Stderr = &problems
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("weft %s --help: %w: %s", strings.Join(args, " "), err, &problems)
	}
	return strings.ReplaceAll(string(text)+problems.String(), home, "~"), nil
}
