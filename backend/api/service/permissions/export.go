package permissions

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/store/permissions"
)

// ExportHistory writes the selected decisions, newest first, as JSON Lines ("jsonl") or CSV ("csv").
func (s *Rules) ExportHistory(ctx context.Context, req HistoryRequest, format string, w io.Writer) error {
	f := req.filter()
	f.Before, f.Limit = 0, 0
	out := bufio.NewWriterSize(w, 64<<10)
	var err error
	switch format {
	case "jsonl":
		err = s.store.Decisions.Each(ctx, f, func(d permissions.Decision) error {
			line, err := json.Marshal(d, command.Wire)
			if err != nil {
				return err
			}
			_, err = out.Write(append(line, '\n'))
			return err
		})
	case "csv":
		err = s.exportCSV(ctx, f, out)
	default:
		return fault.New(fault.Invalid, "The export format must be jsonl or csv.")
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func (s *Rules) exportCSV(ctx context.Context, f permissions.Filter, w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"time", "space", "agent", "kind", "title", "about", "outcome", "option", "by", "rule"}); err != nil {
		return err
	}
	err := s.store.Decisions.Each(ctx, f, func(d permissions.Decision) error {
		row := []string{time.UnixMilli(d.At).UTC().Format(time.RFC3339), d.Space, d.AgentName, d.Kind, d.Title, d.About, d.Outcome, d.Option, d.By, d.Rule}
		for i := range row {
			row[i] = cell(row[i])
		}
		return c.Write(row)
	})
	c.Flush()
	if err != nil {
		return err
	}
	return c.Error()
}

// cell escapes an agent's text, so that a spreadsheet doesn't read it as a formula.
func cell(s string) string {
	if strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "=") || strings.ContainsAny(s[:min(len(s), 1)], "+-@\t\r") {
		return "'" + s
	}
	return s
}

// ExportName returns the file name for an exported history.
func ExportName(format string, now time.Time) string {
	return "weft-permissions-" + now.Format("2006-01-02") + "." + format
}
