package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/modelproxy"
)

type proxyParams struct{ Chunks, Megabytes int }

// proxyResult compares a model that is asked through the model proxy with the same one asked straight.
type proxyResult struct {
	Straight, Through []float64 // ms from the write of a chunk until it is read
	Speed             float64   // MB/s of a flood through the proxy
	SpeedStraight     float64
	Grown             int64 // bytes of memory, by the second half of the flood
}

func proxyWork(p proxyParams) (r proxyResult, err error) {
	model, address, err := proxyModel(p)
	if err != nil {
		return r, err
	}
	defer model.Close()
	proxy := modelproxy.New(zerolog.Nop())
	defer func() { err = errors.Join(err, proxy.Close(context.Background())) }()
	tunnel, err := proxy.Open(nil, func(modelproxy.Event) {})
	if err != nil {
		return r, err
	}
	base, err := tunnel.Route(address)
	if err != nil {
		return r, err
	}
	for range 2 { // in turns
		for _, way := range []struct {
			base string
			into *[]float64
		}{{address, &r.Straight}, {base, &r.Through}} {
			if err := proxyDelays(way.base, way.into); err != nil {
				return r, err
			}
		}
	}
	if r.SpeedStraight, _, err = proxyFlood(address, p.Megabytes); err != nil {
		return r, err
	}
	r.Speed, r.Grown, err = proxyFlood(base, p.Megabytes)
	return r, err
}

// proxyModel writes paced chunks that carry the time, or as many as go.
func proxyModel(p proxyParams) (*http.Server, string, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	long := []byte(`data: {"type":"content_block_delta","index":0,"delta":{"partial_json":"` + strings.Repeat("x", 8000) + "\"}}\n\n")
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if strings.HasPrefix(q.URL.Path, "/flood/") {
			for n := 0; n < p.Megabytes<<20; n += len(long) {
				if _, err := w.Write(long); err != nil {
					return
				}
			}
			return
		}
		for range p.Chunks {
			_, _ = fmt.Fprintf(w, "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"abcdefgh\"},\"at\":%d}\n\n", time.Now().UnixNano())
			_ = http.NewResponseController(w).Flush()
			time.Sleep(2 * time.Millisecond)
		}
	})}
	go func() { _ = server.Serve(l) }()
	return server, "http://" + l.Addr().String(), nil
}

func proxyAsk(url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

func proxyDelays(base string, into *[]float64) error {
	res, err := proxyAsk(base + "/v1/messages")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		now := time.Now().UnixNano()
		if _, at, ok := strings.Cut(lines.Text(), `"at":`); ok {
			written, err := strconv.ParseInt(strings.TrimSuffix(at, "}"), 10, 64)
			if err != nil {
				return err
			}
			*into = append(*into, float64(now-written)/1e6)
		}
	}
	return lines.Err()
}

func proxyFlood(base string, megabytes int) (speed float64, grown int64, err error) {
	began := time.Now()
	res, err := proxyAsk(base + "/flood/v1/messages")
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	held := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.Sys)
	}
	first, err := io.CopyN(io.Discard, res.Body, int64(megabytes)<<19)
	if err != nil {
		return 0, 0, err
	}
	half := held()
	rest, err := io.Copy(io.Discard, res.Body)
	return float64(first+rest) / 1e6 / time.Since(began).Seconds(), held() - half, err
}

// modelProxy measures what the model proxy costs.
func (b *bench) modelProxy() error {
	var r proxyResult
	if err := b.work("proxy", proxyParams{Chunks: 250 * b.plan.seconds, Megabytes: 512}, &r); err != nil {
		return err
	}
	p99 := func(list []float64) float64 { slices.Sort(list); return list[len(list)*99/100] }
	added := p99(r.Through) - p99(r.Straight)
	b.add(row{
		What: "model proxy: delay that it adds to a chunk, p99", Reached: fmt.Sprintf("%.2f ms", added), Want: "≤ 2 ms", OK: verdictOf(added <= 2),
	})
	b.add(row{
		What: "model proxy: bytes of an answer that it passes on", Reached: fmt.Sprintf("%.0f MB/s (straight: %.0f)", r.Speed, r.SpeedStraight), Want: "≥ 100 MB/s", OK: verdictOf(r.Speed >= 100),
	})
	b.add(row{
		What: "model proxy: memory that the second half of 512 MB takes", Reached: fmt.Sprintf("%.1f MB", float64(r.Grown)/(1<<20)), Want: "≤ 16 MB", OK: verdictOf(r.Grown <= 16<<20),
	})
	return nil
}
