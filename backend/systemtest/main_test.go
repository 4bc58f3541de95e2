//go:build linux

package systemtest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/api/httpapi"
	"weft/backend/api/service"
	"weft/backend/base/raced"
	"weft/backend/builtin"
	"weft/backend/space/runs"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		args := os.Args[2:]
		switch os.Args[1] {
		case "serve":
			os.Exit(serveMain(args))
		case "unsealed":
			os.Exit(unsealedMain(args))
		case "supervise":
			os.Exit(agent.SuperviseMain(args))
		case "agent":
			os.Exit(builtin.Main(context.Background(), args, os.Stdin, os.Stdout, os.Stderr))
		case "orchard":
			orchardMain(args)
			os.Exit(0)
		case "trap":
			trapMain(args)
			os.Exit(0)
		case "scripted":
			scriptedMain(args)
			os.Exit(0)
		}
	}
	os.Exit(runTests(m))
}

// runTests runs the tests of this process and gives its exit code.
func runTests(m *testing.M) int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		// The tests mostly wait for processes.
		if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	if raced.On && flag.Lookup("test.list").Value.String() == "" {
		dir, err := buildPrograms()
		defer os.RemoveAll(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "the programs that Weft starts were not built:", err)
			return 1
		}
	}
	return m.Run()
}

// started is what the server prints once it listens.
type started struct {
	Base, Link, Key string
}

// serveMain is serve of main.go, with limits that a test can set. It ends when its stdin does, so
// that it never outlives the test.
func serveMain(args []string) int {
	f := flag.NewFlagSet("serve", flag.ExitOnError)
	dir := f.String("data", "", "")
	var limits runs.Limits
	f.DurationVar(&limits.Initialize, "initialize", 0, "")
	f.DurationVar(&limits.Stop, "stop", 0, "")
	f.DurationVar(&limits.Session, "session", 0, "")
	f.DurationVar(&limits.Share, "share", 0, "")
	f.DurationVar(&limits.Others, "others", 0, "")
	f.DurationVar(&limits.Write, "write", 0, "")
	uid := f.Int("uid", 0, "")
	_ = f.Parse(args)
	if *uid != 0 {
		if err := syscall.Setuid(*uid); err != nil {
			fmt.Fprintln(os.Stderr, "weft:", err)
			return 1
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	log := zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	s, err := service.Open(ctx, service.Options{
		DataDir: *dir, SettingsPath: settingsPath(filepath.Dir(*dir)), Mode: "serve", Version: "test", Log: log, Limits: limits,
	})
	if err != nil {
		code, message, _ := service.Explain(err)
		fmt.Fprintf(os.Stderr, "weft: %s: %s\n", code, message)
		return 1
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "weft:", err)
		return 1
	}
	web := httpapi.New(httpapi.Options{Service: s, Frontend: fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}, Log: log})
	base := "http://" + l.Addr().String()
	_ = json.NewEncoder(os.Stdout).Encode(started{Base: base, Link: web.Link(base), Key: web.Key()})
	code := 0
	if err := web.Serve(ctx, l); err != nil {
		fmt.Fprintln(os.Stderr, "weft:", err)
		code = 1
	}
	grace, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.Close(grace); err != nil {
		fmt.Fprintln(os.Stderr, "weft:", err)
		code = 1
	}
	return code
}

// brief reports whether tests with many steps take only some of them: in make test, which is short, and with the race detector.
func brief() bool { return testing.Short() || raced.On }
