package acp

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json"
)

// Provider is a model provider that an agent uses.
type Provider struct {
	ID      string
	APIType string // anthropic, openai, …
	BaseURL string // in use; "" if unknown

	idName string // the JSON name of the id, which the draft has changed
}

// Providers lists the agent's providers (providers/list, a draft). The agent must have the capability "providers".
func (c *Conn) Providers(ctx context.Context) ([]Provider, error) {
	raw, err := c.call(ctx, "providers/list", "", struct{}{})
	if err != nil {
		return nil, err
	}
	var res struct {
		Providers []struct {
			ID      string `json:"providerId"`
			Old     string `json:"id"` // in the previous draft
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
		one := Provider{ID: p.ID, APIType: p.Current.APIType, BaseURL: p.Current.BaseURL, idName: "providerId"}
		if one.ID == "" {
			one.ID, one.idName = p.Old, "id"
		}
		list = append(list, one)
	}
	return list, nil
}

// SetProvider sets the address of a provider and the headers of requests to it (providers/set, a draft).
func (c *Conn) SetProvider(ctx context.Context, p Provider, headers map[string]string) error {
	if headers == nil {
		headers = map[string]string{}
	}
	_, err := c.call(ctx, "providers/set", "", map[string]any{cmp.Or(p.idName, "providerId"): p.ID, "apiType": p.APIType, "baseUrl": p.BaseURL, "headers": headers})
	return err
}
