package interchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/api/service/spaces"
	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/conversation/archive"
	"weft/backend/files/atomicfile"
	"weft/backend/space/unfinished"
	"weft/backend/store"
)

// document imports a document exported by Weft: all of its spaces or none. r may be a connection, so it is copied to
// the data folder first. The copy is read twice, the second time within a transaction.
func (i *Importer) document(ctx context.Context, name string, r io.Reader, dryRun bool) (ImportReport, error) {
	report := ImportReport{File: name, DryRun: dryRun, Conversations: []ImportedConversation{}}
	file, key, err := i.spool(ctx, r)
	if err != nil {
		return report, err
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name()) // already gone on some systems
	}()
	contents, err := archive.Check(bufio.NewReaderSize(atomicfile.Until(ctx, file), 256<<10))
	var bad *archive.ReadError
	if errors.As(err, &bad) {
		report.Refused = 1
		report.Conversations = append(report.Conversations, ImportedConversation{
			State: ImportRefused, Line: 1, Notes: []string{}, Faults: []ImportFault{{Line: lineAt(file, bad.Offset), Place: bad.Place, Message: bad.Message}},
		})
		return report, nil
	}
	if err != nil {
		return report, err
	}
	known, there, err := i.store.ImportedAs(ctx, key)
	if err != nil {
		return report, err
	}
	for n := range contents.Spaces {
		report.Conversations = append(report.Conversations, i.described(contents, n))
	}
	switch {
	case there:
		for n := range report.Conversations {
			report.Conversations[n].State = ImportKnown
		}
		report.Conversations[0].SpaceID, report.Known = known.ID, len(contents.Spaces)
		return report, nil
	case dryRun:
		report.Imported = len(contents.Spaces)
		return report, nil
	}
	return report, i.restore(ctx, file, key, contents, &report)
}

// described returns the expected result for a space of a document.
func (i *Importer) described(c *archive.Contents, n int) ImportedConversation {
	sp := &c.Spaces[n]
	out := ImportedConversation{State: ImportDone, Title: cmp.Or(sp.Title, c.Opening, "Conversation"), Line: 1, Messages: c.Messages[n], Notes: []string{}, Faults: []ImportFault{}}
	if c.Head.Part && n == 0 {
		out.Notes = append(out.Notes, fault.Text("The file has only a part of the conversation."))
	}
	if _, note := existing(sp.Folder); note != "" {
		out.Notes = append(out.Notes, note)
	}
	for _, m := range sp.Members {
		if m.LeftAt == 0 && !slices.Contains(i.agentIDs(), m.AgentID) {
			out.Notes = append(out.Notes, fault.Text("The agent “{{name}}” isn't available. Choose another one to continue the conversation.", cmp.Or(m.AgentName, m.AgentID)))
		}
	}
	return out
}

func (i *Importer) agentIDs() (ids []string) {
	for _, a := range i.agents.Agents() {
		ids = append(ids, a.ID)
	}
	return ids
}

// restore creates the spaces of a checked document.
func (i *Importer) restore(ctx context.Context, file *os.File, key string, c *archive.Contents, report *ImportReport) error {
	var made []string // folders
	out, err := i.store.Restore(ctx, store.Restore{
		Key: key, Head: c.Head, Spaces: c.Spaces,
		Read: func(sink archive.Sink) error {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return fmt.Errorf("read the file: %w", err)
			}
			return archive.Read(bufio.NewReaderSize(atomicfile.Until(ctx, file), 256<<10), sink)
		},
		Place: func(sp *archive.Space, id string) (string, map[string]string, error) {
			meta := map[string]string{spaces.TitledKey(id): spaces.TitledByUser}
			if folder, note := existing(sp.Folder); folder != "" && note == "" {
				return folder, meta, nil
			}
			folder := filepath.Join(i.dataDir, "spaces", id)
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return "", nil, fault.New("io", "Couldn't create a folder for the space: {{reason}}", err).Because(err)
			}
			made = append(made, folder)
			return folder, meta, nil
		},
	})
	if err != nil {
		for _, folder := range made {
			_ = os.Remove(folder) // removes it only if it is empty
		}
		return err
	}
	if !out.Fresh { // another program has imported it meanwhile
		report.Conversations[0].SpaceID, report.Known = out.IDs[0], len(c.Spaces)
		return nil
	}
	ender := unfinished.In(i.store, func() int64 { return time.Now().UnixMilli() })
	for n, id := range out.IDs {
		report.Conversations[n].SpaceID = id
		report.Imported++
		if err := ender.OfBranch(ctx, id); err != nil {
			return err
		}
		i.changed(id)
	}
	if out.Missing > 0 {
		first := &report.Conversations[0]
		first.Notes = append(first.Notes, quantity.Count(out.Missing, "attachment or result isn't", "attachments or results aren't")+" in the file.")
	}
	return nil
}

// spool copies r to an unnamed file, if the system supports that. key identifies its content.
func (i *Importer) spool(ctx context.Context, r io.Reader) (file *os.File, key string, err error) {
	file, err = os.CreateTemp(i.dataDir, ".import-*")
	if err != nil {
		return nil, "", fault.New("io", "Couldn't create a temporary file: {{reason}}.", err).Because(err)
	}
	_ = os.Remove(file.Name()) // for Windows, which keeps the name until the file is closed
	sum := sha256.New()
	if _, err = io.Copy(io.MultiWriter(file, sum), atomicfile.Until(ctx, r)); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		return file, "weft:" + hex.EncodeToString(sum.Sum(nil)), nil
	}
	_ = file.Close()
	_ = os.Remove(file.Name())
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case atomicfile.Full(err):
		return nil, "", fault.New("disk", "The disk is full. Free some space and import the file again.").Because(err)
	}
	return nil, "", fault.New("io", "Couldn't read the file: {{reason}}.", strings.TrimSuffix(err.Error(), ".")).Because(err)
}

// lineAt returns the line at an offset in a file.
func lineAt(file *os.File, offset int64) int {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 1
	}
	line, buf, r := 1, make([]byte, 64<<10), io.LimitReader(file, offset)
	for {
		n, err := r.Read(buf)
		line += bytes.Count(buf[:n], []byte{'\n'})
		if err != nil {
			return line
		}
	}
}
