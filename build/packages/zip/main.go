// Command zip writes a folder to a zip file that is the same wherever it is made: the names are sorted, and the times
// are given.
package main

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

func main() {
	out := flag.String("out", "", "the zip file")
	date := flag.Int64("date", 0, "seconds since 1970, for all files")
	flag.Parse()
	if *out == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: zip -out FILE -date SECONDS FOLDER")
		os.Exit(2)
	}
	if err := write(*out, flag.Arg(0), time.Unix(*date, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "zip:", err)
		os.Exit(1)
	}
}

// write makes the file. Names in it begin with that of the folder.
func write(out, folder string, date time.Time) (err error) {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(out)
		}
	}()
	z := zip.NewWriter(file)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	folder = filepath.Clean(folder)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { // in the order of the names
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(filepath.Dir(folder), path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: filepath.ToSlash(rel), Method: zip.Deflate, Modified: date}
		h.SetMode(0o644)
		if filepath.Ext(path) == ".exe" {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		in, err := os.Open(path) //nolint:gosec // nobody else writes to the folder that is being packed
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	})
	return errors.Join(err, z.Close())
}
