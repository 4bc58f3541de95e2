package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"gopkg.in/natefinch/lumberjack.v2"

	"weft/backend/api/service"
	"weft/backend/base/fault"
	"weft/backend/desktop"
	"weft/backend/settings/secret"
)

// DataDir returns the absolute path of the data folder.
func (c *Common) DataDir() (string, error) {
	dir := c.Data
	if dir == "" {
		var err error
		if dir, err = service.DefaultDataDir(); err != nil {
			return "", err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	return dir, nil
}

// Autostart returns the entry that starts this Weft with these flags when the user signs in.
func (c *Common) Autostart() *desktop.Autostart {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	if image := os.Getenv("APPIMAGE"); filepath.IsAbs(image) {
		program = image
	}
	var args []string
	for name, path := range map[string]string{"--data": c.Data, "--settings": c.Settings} {
		if path == "" {
			continue
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		args = append(args, name+"="+path)
	}
	slices.Sort(args)
	return desktop.NewAutostart(program, args...)
}

// Mode configures [OpenService]. All fields except Name may be nil; see [service.Options].
type Mode struct {
	Name                    string // window or serve
	Active, Restart, Locked func()
	Quiet                   <-chan struct{}
}

// OpenService opens the data folder with a log that rotates inside it.
func OpenService(ctx context.Context, c Common, mode Mode) (*service.Service, zerolog.Logger, error) {
	dir, err := c.DataDir()
	if err != nil {
		return nil, zerolog.Nop(), err
	}
	logs := filepath.Join(dir, "logs")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return nil, zerolog.Nop(), fault.New("io", "Couldn't create the folder for the log: {{reason}}.", err).Because(err)
	}
	hide := &secret.Redactor{}
	secret.Withhold(hide)
	log := zerolog.New(hide.Writer(&lumberjack.Logger{Filename: filepath.Join(logs, "weft.log"), MaxSize: 8, MaxBackups: 3})).
		With().Timestamp().Logger()
	s, err := service.Open(ctx, service.Options{
		DataDir: dir, SettingsPath: c.Settings, Mode: mode.Name, Version: Version, Log: log, Active: mode.Active, Locked: mode.Locked, Quiet: mode.Quiet, Redactor: hide,
		Updates: updateOptions(mode.Restart),
	})
	if err != nil {
		return nil, log, err
	}
	log.Info().Str("version", Version).Str("mode", mode.Name).Msg("started")
	return s, log, nil
}

// closesIn is the timeout for closing the service.
const closesIn = 20 * time.Second

// CloseService closes the service, and gives up after [closesIn].
func CloseService(end func(ctx context.Context) error, log zerolog.Logger) {
	closeService(end, log, closesIn)
}

// closeService closes the service, and gives up after limit. That loses no data, as after a power cut.
func closeService(end func(ctx context.Context) error, log zerolog.Logger, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- end(ctx) }()
	var err error
	select {
	case err = <-closed:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		log.Error().Err(err).Msg("closed with errors")
		return
	}
	log.Info().Msg("closed")
}
