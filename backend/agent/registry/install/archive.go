package install

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/ulikunitz/xz"

	"weft/backend/base/fault"
)

// form is the format of a download, detected by its content and never by its name.
type form int

const (
	formNone form = iota
	formProgram
	formZip
	formTar
	formGzip // tar inside, as in the next two
	formBzip2
	formXz
)

// magic has the first bytes of each format.
var magic = []struct {
	bytes string
	form  form
}{
	{"PK\x03\x04", formZip},
	{"\x1f\x8b", formGzip},
	{"BZh", formBzip2},
	{"\xfd7zXZ\x00", formXz},
	{"\x7fELF", formProgram},
	{"\xcf\xfa\xed\xfe", formProgram},
	{"\xce\xfa\xed\xfe", formProgram}, // Mach-O
	{"\xca\xfe\xba\xbe", formProgram}, // Mach-O for several machines
	{"MZ", formProgram},               // Windows
	{"#!", formProgram},
}

func sniff(head []byte) form {
	for _, m := range magic {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return m.form
		}
	}
	if len(head) >= 262 && string(head[257:262]) == "ustar" {
		return formTar
	}
	return formNone
}

// maxTail is the maximum number of bytes after the end of a tar, where real ones have padding.
const maxTail = 1 << 20

// maxDictionary is the maximum window of an xz archive, in bytes; xz -9 uses 64 MiB.
const maxDictionary = 128 << 20

func (b *box) untar(f form, file io.ReadSeeker) error {
	plain, err := decompress(f, file)
	if err != nil {
		return err
	}
	r := tar.NewReader(plain)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeXGlobalHeader:
		case tar.TypeDir:
			err = b.dir(h.Name)
		case tar.TypeReg, tar.TypeGNUSparse:
			err = b.file(h.Name, r, h.Mode&0o111 != 0)
		case tar.TypeSymlink:
			err = b.link(h.Name, h.Linkname)
		case tar.TypeLink:
			err = b.same(h.Name, h.Linkname)
		default:
			err = refused(h.Name, "is neither a file nor a folder nor a link")
		}
		if err != nil {
			return err
		}
	}
	// The checksum of the compressed stream is at its end.
	n, err := io.Copy(io.Discard, io.LimitReader(plain, maxTail+1))
	if err == nil && n > maxTail {
		err = fault.New(CodeArchive, "The archive has data after its end, so Weft doesn't unpack it.")
	}
	return err
}

func decompress(f form, file io.ReadSeeker) (io.Reader, error) {
	switch f {
	case formGzip:
		return gzip.NewReader(file)
	case formBzip2:
		return bzip2.NewReader(file), nil
	case formXz:
		if err := checkDictionary(file); err != nil {
			return nil, err
		}
		return xz.NewReader(file)
	default:
		return file, nil
	}
}

// checkDictionary rejects an xz archive whose window needs too much memory. The size is in the header of the first
// block, after the 12 bytes of the stream header (https://tukaani.org/xz/xz-file-format.txt, 3.1): the header's size,
// flags, two optional numbers, then filter 0x21, length 1, the size.
func checkDictionary(file io.ReadSeeker) error {
	head := make([]byte, 64)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	unknown := fault.New(CodeArchive, "The archive uses an unknown compression method.")
	if n < 32 || head[12] == 0 {
		return nil // too short to contain anything
	}
	flags, rest := head[13], head[14:n]
	for _, present := range []byte{0x40, 0x80} {
		if flags&present != 0 {
			_, k := binary.Uvarint(rest)
			if k <= 0 {
				return unknown
			}
			rest = rest[k:]
		}
	}
	if flags&0x03 != 0 || len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 {
		return unknown
	}
	bits := rest[2] & 0x3f
	if window := uint64(2|bits&1) << (bits/2 + 11); bits > 40 || window > maxDictionary {
		return fault.New(CodeArchive, "The archive needs more memory to unpack than Weft allows.")
	}
	return nil
}

// maxDirectory is the maximum size of a zip's directory in bytes, because it is read into memory.
const maxDirectory = 32 << 20

func (b *box) unzip(file *os.File, n int64) error {
	if err := checkDirectory(file, n); err != nil {
		return err
	}
	r, err := zip.NewReader(file, n)
	if err != nil {
		return err
	}
	for _, f := range r.File {
		if err := b.unzipOne(f); err != nil {
			return err
		}
	}
	return nil
}

func (b *box) unzipOne(f *zip.File) error {
	mode := f.Mode()
	switch {
	case f.Flags&1 != 0:
		return refused(f.Name, "is encrypted")
	case mode.IsDir():
		return b.dir(f.Name)
	case !mode.IsRegular() && mode.Type() != os.ModeSymlink:
		return refused(f.Name, "is neither a file nor a folder nor a link")
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	if mode.Type() == os.ModeSymlink {
		target, err := io.ReadAll(io.LimitReader(r, maxPath+1))
		if err != nil {
			return err
		}
		return b.link(f.Name, string(target))
	}
	return b.file(f.Name, r, mode&0o111 != 0)
}

// checkDirectory checks the size and the offset of the directory in the end record of a zip.
func checkDirectory(file io.ReaderAt, n int64) error {
	const record = 22
	tail := make([]byte, min(n, record+1<<16))
	if _, err := file.ReadAt(tail, n-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < record {
		return errors.New("no end of a zip archive")
	}
	size := int64(binary.LittleEndian.Uint32(tail[at+12:]))
	start := int64(binary.LittleEndian.Uint32(tail[at+16:]))
	if size > maxDirectory || n-start > maxDirectory+int64(len(tail)) {
		return fault.New(CodeArchive, "The archive's directory is larger than {{max}} MB. Weft doesn't unpack that.", maxDirectory>>20)
	}
	return nil
}
