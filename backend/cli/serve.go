package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"weft/backend/api/httpapi"
	"weft/backend/base/rest"
	"weft/backend/desktop/update"
	"weft/backend/settings"
	"weft/frontend"
)

// restAfter is the idle time before memory is released. It is longer than a user's pause for reading.
const restAfter = 30 * time.Second

func serveCommand() *cobra.Command {
	var c Common
	addr, expose := "", false
	cmd := &cobra.Command{
		Use: "serve", Short: "The same for a browser on this machine", Args: atMost(0), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Runs Weft for a browser on this machine and prints its address with a token that works once.",
		RunE: does(func(ctx context.Context, _ []string) int { return serve(ctx, c, addr, expose) }),
	}
	c.flags(cmd)
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 picks a free one")
	cmd.Flags().BoolVar(&expose, "allow-remote", false, "allow an address that other machines can reach")
	values(cmd, "addr")
	return cmd
}

func serve(ctx context.Context, c Common, addr string, expose bool) int {
	remote, err := checkAddr(addr)
	if err != nil {
		return Complain(err)
	}
	if remote && !expose {
		fmt.Fprintf(Stderr(), "weft: %s can be reached from other machines. Anyone with the token could run agents and commands as you, and the connection isn't encrypted. If that is what you want, add --allow-remote.\n", addr)
		return 2
	}
	running := Begin(inPlace(heldSession))
	again, code := serveAt(ctx, c, addr, remote, running)
	running.Close()
	if again != nil {
		RestartAs(inPlace(func() []*os.File { return passSession(again.session) }), append(slices.Clone(os.Args[1:]), "--addr", again.addr))
	}
	return code
}

// LookOf returns the initial look of a page. system is empty if the browser reports its languages.
func LookOf(a settings.Appearance, system string) frontend.Look {
	return frontend.Look{Language: a.Language, System: system, Theme: a.Theme}
}

// served is what a server keeps when it restarts itself.
type served struct {
	addr    string
	session []byte // its secrets
}

// serveAt serves until ctx ends or a restart is requested. For a restart, it returns what to serve again.
func serveAt(ctx context.Context, c Common, addr string, remote bool, running *update.Running) (again *served, code int) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var restart atomic.Bool
	idle := rest.New(restAfter)
	defer idle.Stop()
	s, log, err := OpenService(ctx, c, Mode{Name: "serve", Active: idle.Active, Restart: func() { restart.Store(true); end() }})
	if err != nil {
		if NotItsFault(err) {
			running.Excuse()
		}
		return nil, Complain(err)
	}
	defer CloseService(s.Close, log)
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		running.Excuse()
		fmt.Fprintf(Stderr(), "weft: couldn't listen on %s: %v. Choose another address with --addr.\n", addr, err)
		return nil, 1
	}
	defer TakeCommands(s, Shows{Address: func(fragment string) string { return "http://" + l.Addr().String() + "/" + fragment }}, log)()
	if remote {
		fmt.Fprintf(Stderr(), "Warning: %s can be reached from other machines. Anyone with the token can run agents and commands as you, and the connection isn't encrypted.\n", l.Addr())
	}
	server := httpapi.New(httpapi.Options{
		Service: s, Frontend: frontend.Files().In(func() frontend.Look { return LookOf(s.Appearance(), "") }), Log: log, AnyHost: remote, Session: passedSession(),
	})
	base := "http://" + l.Addr().String()
	fmt.Fprintf(stdout(), "Weft is at %s\nFor programs: %s with the header Authorization: Bearer %s\n", server.Link(base), base, server.Key())
	var up sync.WaitGroup
	up.Go(func() { upWhenServed(ctx, base, running, log) })
	err = server.Serve(ctx, l)
	end()
	up.Wait()
	if err != nil {
		return nil, Complain(err)
	}
	if restart.Load() {
		again = &served{l.Addr().String(), server.Session()}
	}
	return again, 0
}

// checkAddr reports whether other machines could reach addr.
func checkAddr(addr string) (remote bool, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false, fmt.Errorf("%s isn't an address: use one such as 127.0.0.1:8080", addr)
	}
	if host == "localhost" {
		return false, nil
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback(), nil
}
