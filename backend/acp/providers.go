package acp

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json"
)

// Provider is where an agent has its models from.
type Provider struct {
	ID      string
	APIType string // anthropic, openai, …
	BaseURL string // in use; "" if it tells none

	named string // how the agent calls the member with the id: the draft has changed it
}

// Providers lists them (providers/list, of the protocol's drafts), for agents with the capability of that name.
func (c *Conn) Providers(ctx context.Context) ([]Provider, error) {
	raw, err := c.call(ctx, "providers/list", "", struct{}{})
	if err != nil {
		return nil, err
	}
	var res struct {
		Providers []struct {
			ID      string `json:"providerId"`
			Old     string `json:"id"` // in the draft before
			Current *struct {
				APIType string `json:"apiType"`
				BaseURL string `json:"baseUrl"`
			} `json:"current"`
		} `json:"providers"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return nil, err
	}
	var list []Provider
	for _, p := range res.Providers {
		if p.Current == nil {
			continue
		}
		one := Provider{ID: p.ID, APIType: p.Current.APIType, BaseURL: p.Current.BaseURL, named: "providerId"}
		if one.ID == "" {
			one.ID, one.named = p.Old, "id"
		}
		list = append(list, one)
	}
	return list, nil
}

// SetProvider tells an agent where a provider is, and the headers with which it asks there (providers/set).
func (c *Conn) SetProvider(ctx context.Context, p Provider, headers map[string]string) error {
	if headers == nil {
		headers = map[string]string{}
	}
	_, err := c.call(ctx, "providers/set", "", map[string]any{cmp.Or(p.named, "providerId"): p.ID, "apiType": p.APIType, "baseUrl": p.BaseURL, "headers": headers})
	return err
}
