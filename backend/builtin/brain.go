package builtin

import (
	"context"
	"fmt"
	"sync"

	"weft/backend/builtin/mapper"
	"weft/backend/llm"
	"weft/backend/llm/provider"
)

// brain holds the model of all sessions. The model is created when it is first needed, because the key may become
// available only after the agent has started.
type brain struct {
	set    settings
	keys   *keys
	create func(provider string, opt llm.Options) (llm.Model, error)

	mu    sync.Mutex
	key   string // of model
	model llm.Model
}

func newBrain(set settings, keys *keys) *brain {
	return &brain{set: set, keys: keys, create: mapper.New}
}

// get returns the model. It may block on the keychain.
func (b *brain) get(ctx context.Context) (llm.Model, error) {
	key := b.keys.get(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.model != nil && b.key == key {
		return b.model, nil
	}
	model, err := b.create(b.set.provider.ID, llm.Options{Key: key, KeyFrom: b.set.provider.KeyEnv, BaseURL: b.set.baseURL, API: b.set.api})
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	b.model, b.key = model, key
	return model, nil
}

// signedIn returns an error if a key is required and missing. It makes no request.
func (b *brain) signedIn(ctx context.Context) error {
	if b.set.provider.WantsKey(b.set.baseURL) && b.keys.get(ctx) == "" {
		return noKey(b.endpoint().NoKey())
	}
	return nil
}

func (b *brain) endpoint() llm.Endpoint {
	return llm.Endpoint{Provider: b.set.provider.Name, URL: b.set.baseURL, KeyFrom: b.set.provider.KeyEnv}
}

// offline reports whether the model is the guide.
func (b *brain) offline() bool { return b.set.provider.ID == provider.Guide }
