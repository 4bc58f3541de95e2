package conversation

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/recording"
	"weft/backend/base/command"
	"weft/backend/base/fault"
)

// ProtocolEntry is a line of an agent's traffic.
type ProtocolEntry struct {
	N    int64  `json:"n"`                                             // counts from 1 within the log
	At   int64  `json:"at"`                                            // ms since the agent's start
	Dir  string `json:"dir" enum:"agent->client,client->agent,stderr"` // "agent->client", "client->agent", "stderr"
	Kind string `json:"kind"`                                          // method, update kind, "response", "stderr", "raw"
	Line string `json:"line"`                                          // its first 64 KiB
	Size int64  `json:"size"`                                          // of the whole line, in bytes
}

// ProtocolLogRequest asks for the traffic of the agent's last session in a space.
type ProtocolLogRequest struct {
	SpaceID  string `json:"spaceId"`
	MemberID string `json:"memberId"` // "": the default member
	After    int64  `json:"after"`    // only entries with N > After; 0: from the first stored one
	Limit    int    `json:"limit"`
	Filter   string `json:"filter"` // a substring of the line
}

const (
	maxProtocolPage = 500
	maxProtocolLine = 64 << 10 // bytes of a line to show
)

// ProtocolLog returns lines of an agent's last session in a space, oldest first. It is empty if there was no session.
func (s *Transcripts) ProtocolLog(ctx context.Context, req ProtocolLogRequest) ([]ProtocolEntry, error) {
	if _, err := s.store.Spaces.Get(ctx, req.SpaceID); err != nil {
		return nil, err
	}
	out := []ProtocolEntry{}
	file, err := s.runs.OpenProtocol(req.SpaceID, req.MemberID)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, fault.New("io", "The protocol log can't be read: {{reason}}", err).Because(err)
	}
	defer file.Close()
	if req.Limit < 1 || req.Limit > maxProtocolPage {
		req.Limit = maxProtocolPage
	}
	filter := strings.ToLower(req.Filter)
	r := bufio.NewReaderSize(file, 256<<10)
	for n := int64(1); len(out) < req.Limit; n++ {
		line, size, err := readLine(r)
		if size > 0 && n > req.After && (filter == "" || strings.Contains(strings.ToLower(line), filter)) {
			out = append(out, entry(n, line, size))
		}
		if err != nil {
			break // the end, or a disk error: return what was read
		}
	}
	return out, nil
}

// readLine returns the beginning of a line and the size of the whole line.
func readLine(r *bufio.Reader) (line string, size int64, err error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		if left := maxProtocolLine - b.Len(); left > 0 {
			b.Write(part[:min(left, len(part))])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) && size == 0 {
				return "", 0, err
			}
			return strings.TrimRight(b.String(), "\n"), size, err
		}
	}
}

func entry(n int64, line string, size int64) ProtocolEntry {
	e := ProtocolEntry{N: n, Kind: "raw", Line: line, Size: size}
	var rec struct {
		T   int64          `json:"t"`
		Dir string         `json:"dir"`
		Msg jsontext.Value `json:"msg"`
		Raw string         `json:"raw"`
	}
	if json.Unmarshal([]byte(line), &rec, command.Wire) != nil {
		return e
	}
	e.At, e.Dir = rec.T/1000, rec.Dir
	if rec.Msg == nil {
		e.Line = rec.Raw
		if rec.Dir == recording.Stderr {
			e.Kind = rec.Dir
		}
		return e
	}
	e.Line = string(rec.Msg)
	var msg struct {
		Method string `json:"method"`
		Params struct {
			Update struct {
				Kind string `json:"sessionUpdate"`
			} `json:"update"`
		} `json:"params"`
	}
	e.Kind = "response"
	if json.Unmarshal(rec.Msg, &msg, command.Wire) == nil && msg.Method != "" {
		e.Kind = msg.Method
		if msg.Params.Update.Kind != "" {
			e.Kind = msg.Params.Update.Kind
		}
	}
	return e
}
