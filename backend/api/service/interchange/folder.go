package interchange

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/private"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/settings"
	"weft/backend/store"
)

// Options configures [OpenExports] and [OpenImporter], which open a data folder that no Weft uses.
type Options struct {
	DataDir      string
	SettingsPath string // empty: the default
	Log          zerolog.Logger
	TakenBack    time.Time        // as in [store.Options]
	Env          sessionfiles.Env // for imports: where programs store their conversations; zero: those of this user
}

// openFolder opens the database and the settings of a data folder. The caller closes both.
func openFolder(ctx context.Context, opt Options) (*store.Store, *settings.File, error) {
	if err := private.Tidy(opt.DataDir); err != nil {
		opt.Log.Warn().Err(err).Msg("other users of the machine may be able to read some files of the data folder")
	}
	st, _, err := store.Open(ctx, opt.DataDir, store.Options{Log: opt.Log, TakenBack: opt.TakenBack})
	if err != nil {
		return nil, nil, err
	}
	file, err := settings.Open(opt.SettingsPath, opt.Log)
	if err != nil {
		return nil, nil, errors.Join(err, st.Close(ctx))
	}
	return st, file, nil
}
