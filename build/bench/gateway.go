package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"weft/backend/agent/mcp"
	"weft/backend/gateway"
)

type gatewayParams struct{ Calls int }

// gatewayResult holds the times of calls in ms: to a server itself, and to the same one through the gateway.
type gatewayResult struct{ Direct, Through []float64 }

// openHost lets everything through at once: what a user takes is not measured.
type openHost struct{ gateway.Host }

func (openHost) Permit(context.Context, gateway.Caller, gateway.Permit) error { return nil }

func (openHost) Reached(gateway.Caller, string) error { return nil }

// gatewayWork calls a tool in turns, directly and through the gateway.
func gatewayWork(p gatewayParams) (r gatewayResult, err error) {
	ctx := context.Background()
	server := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "echo"}, func(_ context.Context, _ *sdk.CallToolRequest, in map[string]any) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(in["text"])}}}, nil, nil
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return r, err
	}
	site := &http.Server{Handler: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil), ReadHeaderTimeout: time.Minute}
	go func() { _ = site.Serve(l) }()
	defer site.Close()
	at := "http://" + l.Addr().String()
	g, err := gateway.Open(gateway.Options{Host: openHost{}, Log: zerolog.Nop(), Proxied: func() []gateway.ProxiedServer {
		return []gateway.ProxiedServer{{Name: "bench", Server: func(context.Context) (mcp.Server, error) {
			return mcp.Server{Name: "bench", Type: "http", URL: at}, nil
		}}}
	}})
	if err != nil {
		return r, err
	}
	defer func() { _ = g.Close(ctx) }()
	url, token, release := g.Session(gateway.Caller{SpaceID: "s", AgentID: "a"})
	defer release()
	direct, err := benchClient(ctx, at, "")
	if err != nil {
		return r, err
	}
	defer direct.Close()
	through, err := benchClient(ctx, url, token)
	if err != nil {
		return r, err
	}
	defer through.Close()
	if _, err := through.ListTools(ctx, nil); err != nil { // it waits for the server
		return r, err
	}
	const warm = 50
	for i := range warm + p.Calls {
		for _, way := range []struct {
			client *sdk.ClientSession
			into   *[]float64
		}{{direct, &r.Direct}, {through, &r.Through}} {
			took, err := benchCall(ctx, way.client)
			if err != nil {
				return r, err
			}
			if i >= warm {
				*way.into = append(*way.into, took)
			}
		}
	}
	return r, nil
}

type benchBearer string

func (b benchBearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func benchClient(ctx context.Context, url, token string) (*sdk.ClientSession, error) {
	return sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).
		Connect(ctx, &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: benchBearer(token)}}, nil)
}

func benchCall(ctx context.Context, client *sdk.ClientSession) (ms float64, err error) {
	began := time.Now()
	res, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello", "more": []int{1, 2, 3}}})
	took := time.Since(began)
	if err == nil && res.IsError {
		err = fmt.Errorf("the call failed: %v", res.Content)
	}
	return float64(took.Microseconds()) / 1e3, err
}

// gateway measures what the gateway adds to a call.
func (b *bench) gateway() error {
	var direct, through, added []float64
	for range b.plan.rounds {
		var r gatewayResult
		if err := b.work("gateway", gatewayParams{Calls: 1000}, &r); err != nil {
			return err
		}
		direct, through = append(direct, r.Direct...), append(through, r.Through...)
		added = append(added, percentile(r.Through, 95)-percentile(r.Direct, 95))
	}
	extra := median(added)
	b.add(row{
		What:    "a tool call through the gateway, against calling its server directly",
		Reached: fmt.Sprintf("p95 +%.2f ms (%.2f against %.2f; p50 %.2f against %.2f)", extra, percentile(through, 95), percentile(direct, 95), percentile(through, 50), percentile(direct, 50)),
		Want:    "p95 ≤ +1 ms",
		OK:      verdictOf(extra <= 1),
	})
	return nil
}
