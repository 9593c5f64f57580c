package settlement

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
)

// Limits bounds what a file may cost. A zero is the usual bound.
type Limits struct {
	Bytes int64 // of the file, unpacked; 2 GiB
	Row   int   // bytes of one row; 1 MiB
	Cell  int   // bytes of one value; 32 KiB
	Cells int   // values of one row; 1,000
	Lines int   // rows of data; 10,000,000
}

func (l Limits) filled() Limits {
	for _, b := range []struct {
		at    *int
		usual int
	}{{&l.Row, 1 << 20}, {&l.Cell, 32 << 10}, {&l.Cells, 1000}, {&l.Lines, 10_000_000}} {
		if *b.at == 0 {
			*b.at = b.usual
		}
	}
	if l.Bytes == 0 {
		l.Bytes = 2 << 30
	}
	return l
}

// maxRatio is how many times its packed size a file in an archive may have, once it is larger than ratioFrom.
const (
	maxRatio  = 200
	ratioFrom = 16 << 20
)

// File is a report on disk. Its methods read it from the beginning each time.
type File struct {
	f      *os.File // what is read
	outer  *os.File // the archive around a workbook; nil: none
	size   int64    // of what is read, in bytes
	limits Limits
	table  bool      // an XLSX workbook
	packed *zip.File // the one file in the archive; nil: f itself
	done   atomic.Int64
}

// Open looks what kind of file a report is: text with separators or a workbook (XLSX), each also in a ZIP archive. The
// error is *Problem when it is none of them or larger than the limits.
func Open(name string, limits Limits) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	out := &File{f: f, limits: limits.filled()}
	if err := out.look(); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// Close ends the use of the file.
func (f *File) Close() error {
	if f.outer != nil {
		return errors.Join(f.f.Close(), f.outer.Close())
	}
	return f.f.Close()
}

// Progress tells how many bytes of how many have been read. It may be called while the file is read.
func (f *File) Progress() (done, size int64) { return min(f.done.Load(), f.size), f.size }

func (f *File) look() error {
	info, err := f.f.Stat()
	if err != nil {
		return err
	}
	if f.size = info.Size(); f.size > f.limits.Bytes {
		return problem("the file has %d bytes, more than the %d that are read: part it", f.size, f.limits.Bytes)
	}
	head := make([]byte, 8)
	n, err := io.ReadFull(f.f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	switch head = head[:n]; {
	case n == 0:
		return problem("the file is empty: download it again")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return f.lookInside()
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")):
		return problem("the file is an old Excel workbook (XLS) or is protected by a password: save it as CSV or XLSX without one")
	case bytes.HasPrefix(head, []byte("%PDF")):
		return problem("the file is a PDF: download the report as CSV or XLSX")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return problem("the file is packed by gzip: unpack it first, or pack it as ZIP")
	}
	return nil
}

// lookInside tells a workbook from an archive, and finds the one file that an archive holds.
func (f *File) lookInside() error {
	archive, err := zip.NewReader(f.f, f.size)
	if err != nil {
		return problem("the archive is damaged (%v): download it again", err)
	}
	if slices.ContainsFunc(archive.File, func(z *zip.File) bool { return z.Name == workbookPart }) {
		f.table = true
		return f.boundBook(archive)
	}
	var names []string
	for _, z := range archive.File {
		base := path.Base(z.Name)
		if z.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(z.Name, "__MACOSX/") {
			continue
		}
		names = append(names, z.Name)
		f.packed = z
	}
	switch {
	case len(names) == 0:
		return problem("the archive holds no file")
	case len(names) > 1:
		return problem("the archive holds %d files (%s): import the one that is the report", len(names), strings.Join(names[:min(len(names), 5)], ", "))
	case f.packed.Flags&1 != 0:
		return problem("the archive is protected by a password: unpack it first")
	}
	return f.boundPacked()
}

// boundPacked looks at what the archive says of its file; reading holds it to that.
func (f *File) boundPacked() error {
	switch ext := strings.ToLower(path.Ext(f.packed.Name)); ext {
	case ".zip", ".gz", ".7z", ".rar":
		return problem("the archive holds another archive (%s): unpack it first", f.packed.Name)
	case ".xls":
		return problem("the archive holds an old Excel workbook (%s): save it as CSV or XLSX", f.packed.Name)
	}
	unpacked := f.packed.UncompressedSize64
	if unpacked > uint64(f.limits.Bytes) || tooDense(unpacked, f.packed.CompressedSize64) {
		return problem("%s would have %d bytes unpacked: that is no report", f.packed.Name, unpacked)
	}
	f.size = int64(unpacked)
	if strings.EqualFold(path.Ext(f.packed.Name), ".xlsx") {
		return f.unpackBook()
	}
	return nil
}

// unpackBook takes a workbook out of an archive into a file without a name, for its parts are not read in order.
func (f *File) unpackBook() error {
	in, err := f.open()
	if err != nil {
		return err
	}
	book, err := os.CreateTemp("", "report")
	if err != nil {
		return err
	}
	f.outer, f.f = f.f, book
	if err := os.Remove(book.Name()); err != nil {
		return err
	}
	if _, err := io.Copy(book, in); err != nil {
		return err
	}
	archive, err := zip.NewReader(book, f.size)
	if err != nil || !slices.ContainsFunc(archive.File, func(z *zip.File) bool { return z.Name == workbookPart }) {
		return problem("%s in the archive is no workbook: download it again", f.packed.Name)
	}
	f.packed, f.table = nil, true
	return f.boundBook(archive)
}

func tooDense(unpacked, packed uint64) bool {
	return unpacked > ratioFrom && unpacked/maxRatio > packed
}

// open gives the bytes of the text from the beginning, counted and bounded.
func (f *File) open() (io.Reader, error) {
	f.done.Store(0)
	if f.packed == nil {
		return &counted{in: io.NewSectionReader(f.f, 0, f.size), f: f}, nil
	}
	r, err := f.packed.Open()
	if err != nil {
		return nil, problem("%s cannot be unpacked (%v): unpack it first", f.packed.Name, err)
	}
	return &counted{in: r, f: f}, nil
}

// counted counts what is read; more than was announced is an archive that lies.
type counted struct {
	in io.Reader
	f  *File
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if done := c.f.done.Add(int64(n)); done > c.f.size {
		return 0, problem("the archive holds more than it says: that is no report")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		var p *Problem
		if !errors.As(err, &p) {
			err = problem("the file cannot be read to its end (%v): download it again", err)
		}
	}
	return n, err
}

// digest is the SHA-256 of the file as it lies on disk.
func (f *File) digest() (sum [32]byte, err error) {
	h := sha256.New()
	whole := f.f
	if f.outer != nil {
		whole = f.outer
	}
	_, err = io.Copy(h, io.NewSectionReader(whole, 0, 1<<62))
	copy(sum[:], h.Sum(nil))
	return sum, err
}
