package backup_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/store/backup"
)

func manifest() backup.Manifest {
	return backup.Manifest{
		Format: backup.Format, Program: "0.1.0", MadeAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Instance: "ins_1",
		Schema:   []backup.Schema{{Name: "0001_sync.sql", Checksum: "00"}},
		Tables:   []backup.Table{{Name: "members", Columns: []string{"id", "name"}}, {Name: "empty", Columns: []string{"id"}}, {Name: "texts", Columns: []string{"id", "text"}}},
		LeftOut:  []backup.LeftOut{{Name: "keys", Reason: "they are secret"}},
		Projects: []backup.Project{{ID: "prj_1", Slug: "acme/app", Epoch: "e", Seq: 7, Digest: "ff", Live: 3}},
	}
}

// rows of a table: some in one piece, none, and many whose pieces end within a
// row.
func rows() map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	var texts strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&texts, "%d\t%x %x\n", i, random.Uint64(), bytes.Repeat([]byte{byte(i)}, int(random.Uint32()%600)))
	}
	return map[string]string{"members": "1\tMara\n2\tNoor\n", "empty": "", "texts": texts.String()}
}

func write(tb testing.TB, m backup.Manifest, content map[string]string) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := backup.NewWriter(&out, m)
	must(tb, err)
	for _, t := range m.Tables {
		must(tb, w.Table(t.Name, func(to io.Writer) error {
			// COPY's own messages are a row each.
			for line := range strings.Lines(content[t.Name]) {
				if _, err := io.WriteString(to, line); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	must(tb, w.Close())
	return out.Bytes()
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func TestFile_HoldsWhatWasWritten(t *testing.T) {
	t.Parallel()
	want := rows()
	f, err := backup.Open(bytes.NewReader(write(t, manifest(), want)))
	must(t, err)
	if diff := cmp.Diff(manifest(), f.Manifest()); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	for range 2 { // it can be read again
		got := map[string]string{}
		must(t, f.Tables(func(table backup.Table, rows io.Reader) error {
			b, err := io.ReadAll(rows)
			got[table.Name] = string(b)
			return err
		}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
	for table, text := range want {
		if got, want := f.Rows(table), int64(strings.Count(text, "\n")); got != want {
			t.Errorf("%s: %d rows, want %d", table, got, want)
		}
	}
}

// What ordinary tools need: a tar archive in a zstd frame, and a frame behind
// it that they pass over.
func TestFile_OrdinaryTools(t *testing.T) {
	t.Parallel()
	z, err := zstd.NewReader(bytes.NewReader(write(t, manifest(), rows())))
	must(t, err)
	defer z.Close()
	var names []string
	for archive := tar.NewReader(z); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		names = append(names, header.Name)
	}
	want := []string{"manifest.json", "tables/members/000001", "tables/texts/000001", "tables/texts/000002", "trailer.json"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

// A callback that reads nothing, or fails, leaves the file usable.
func TestTables_Unread(t *testing.T) {
	t.Parallel()
	f, err := backup.Open(bytes.NewReader(write(t, manifest(), rows())))
	must(t, err)
	must(t, f.Tables(func(backup.Table, io.Reader) error { return nil }))
	fault := errors.New("full")
	if err := f.Tables(func(backup.Table, io.Reader) error { return fault }); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	must(t, f.Tables(func(backup.Table, io.Reader) error { return nil }))
}

func TestOpen_CutShort(t *testing.T) {
	t.Parallel()
	whole := write(t, manifest(), rows())
	for n := 0; n < len(whole); n += 4096 {
		wantRefused(t, fmt.Sprintf("%d of %d bytes", n, len(whole)), whole[:n], "")
	}
	wantRefused(t, "all but one byte", whole[:len(whole)-1], "")
	wantRefused(t, "one byte more", append(bytes.Clone(whole), 0), "")
	wantRefused(t, "twice", append(bytes.Clone(whole), whole...), "")
}

func TestOpen_OneByteFlipped(t *testing.T) {
	t.Parallel()
	whole := write(t, manifest(), rows())
	places := []int{0, 1, 4, 5, 6, len(whole) - 1, len(whole) - 33, len(whole) - 40, len(whole) - 41}
	for at := 7; at < len(whole); at += len(whole) / 200 {
		places = append(places, at)
	}
	for _, at := range places {
		for _, bit := range []byte{1, 0x80} {
			flipped := bytes.Clone(whole)
			flipped[at] ^= bit
			wantRefused(t, fmt.Sprintf("bit %x of byte %d", bit, at), flipped, "")
		}
	}
}

func wantRefused(tb testing.TB, what string, file []byte, words string) {
	tb.Helper()
	_, err := backup.Open(bytes.NewReader(file))
	if !errors.Is(err, backup.ErrFile) || !strings.Contains(err.Error(), words) {
		tb.Errorf("%s: %v, want %q", what, err, words)
	}
}

// Files whose seal is right: made so, not damaged.
func TestOpen_Crafted(t *testing.T) {
	t.Parallel()
	text := func(v any) string {
		b, err := json.Marshal(v)
		must(t, err)
		return string(b)
	}
	m := manifest()
	m.Tables = m.Tables[:1]
	other := m
	other.Format = 99
	first := member{name: "manifest.json", text: text(m)}
	members := member{name: "tables/members/000001", text: "1\tMara\n"}
	trailer := member{name: "trailer.json", text: text(backup.Trailer{Rows: map[string]int64{"members": 1}})}
	for _, tt := range []struct {
		name    string
		members []member
		want    string
	}{
		{"nothing", nil, "it has nothing where manifest.json belongs"},
		{"no manifest", []member{members, trailer}, `it has "tables/members/000001" where manifest.json`},
		{"another format", []member{{name: "manifest.json", text: text(other)}, members, trailer}, "it has the format 99, and this build of teammem reads format 1"},
		{"manifest is no JSON", []member{{name: "manifest.json", text: "{"}, members, trailer}, "its manifest.json cannot be read"},
		{"unknown words", []member{{name: "manifest.json", text: `{"format":1,"odd":1}`}}, "its manifest.json cannot be read"},
		{"manifest too long", []member{{name: "manifest.json", size: 1 << 40}}, "is no file of at most"},
		{"piece too long", []member{first, {name: members.name, size: 1 << 40}, trailer}, "is no file of at most"},
		{"piece cut", []member{first, {name: members.name, size: 1000}}, "cannot be read"},
		{"way out", []member{first, {name: "tables/../../members", text: "1\tMara\n"}, trailer}, `it has "tables/../../members" where trailer.json`},
		{"absolute", []member{first, {name: "/etc/passwd", text: "x\n"}, trailer}, `it has "/etc/passwd" where`},
		{"link", []member{first, {name: members.name, kind: tar.TypeSymlink, link: "/etc/passwd"}, trailer}, "is no file of at most"},
		{"piece missing", []member{first, {name: "tables/members/000002", text: "1\tMara\n"}, trailer}, "000002"},
		{"foreign table", []member{first, members, {name: "tables/others/000001", text: "x\n"}, trailer}, "others"},
		{"rows missing", []member{first, trailer}, "counts other rows"},
		{"rows too many", []member{first, members, {name: "tables/members/000002", text: "2\tNoor\n"}, trailer}, "counts other rows"},
		{"no trailer", []member{first, members}, "it has nothing where trailer.json belongs"},
		{"more behind", []member{first, members, trailer, members}, "something follows its trailer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, tt.name, seal(t, compress(t, archive(t, tt.members))), tt.want)
		})
	}
	// The same way of making one, made right.
	_, err := backup.Open(bytes.NewReader(seal(t, compress(t, archive(t, []member{first, members, trailer})))))
	must(t, err)
}

func TestOpen_Bombs(t *testing.T) {
	t.Parallel()
	whole := write(t, manifest(), rows())
	frame := whole[:len(whole)-40]
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"no archive in it", seal(t, compress(t, zeros(1<<24))), "nothing where manifest.json belongs"},
		{"more behind the archive", seal(t, append(bytes.Clone(frame), compress(t, zeros(1<<24))...)), "something follows its end"},
		{"no zstd behind the archive", seal(t, append(bytes.Clone(frame), "more"...)), "cannot be decompressed"},
		{"more memory than ours ask for", seal(t, hugeWindow(t)), "cannot be read as an archive"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, tt.name, tt.file, tt.want)
		})
	}
}

type member struct {
	name, text, link string
	size             int64 // instead of the text's
	kind             byte
}

func archive(tb testing.TB, members []member) io.Reader {
	tb.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range members {
		header := &tar.Header{Typeflag: m.kind, Name: m.name, Size: max(m.size, int64(len(m.text))), Linkname: m.link, Mode: 0o600}
		if m.kind == 0 {
			header.Typeflag = tar.TypeReg
		}
		must(tb, w.WriteHeader(header))
		if m.size > 0 {
			return &out // which ends there
		}
		_, err := io.WriteString(w, m.text)
		must(tb, err)
	}
	must(tb, w.Close())
	return &out
}

func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func compress(tb testing.TB, r io.Reader) []byte {
	tb.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	must(tb, err)
	_, err = io.Copy(z, r)
	must(tb, errors.Join(err, z.Close()))
	return out.Bytes()
}

// hugeWindow is a frame that needs a quarter of a gibibyte to be read.
func hugeWindow(tb testing.TB) []byte {
	tb.Helper()
	const exponent = 28 - 10
	return []byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, exponent << 3, 0x01, 0x00, 0x00}
}

func seal(tb testing.TB, frame []byte) []byte {
	tb.Helper()
	sum := sha256.Sum256(frame)
	out := binary.LittleEndian.AppendUint32(bytes.Clone(frame), 0x184D2A5E)
	return append(binary.LittleEndian.AppendUint32(out, sha256.Size), sum[:]...)
}

func TestWriter_TablesInOrder(t *testing.T) {
	t.Parallel()
	w, err := backup.NewWriter(io.Discard, manifest())
	must(t, err)
	nothing := func(io.Writer) error { return nil }
	if err := w.Table("texts", nothing); err == nil {
		t.Error("a table out of order was taken")
	}
	must(t, w.Table("members", nothing))
	if err := w.Close(); err == nil {
		t.Error("a file without its tables was ended")
	}
}

func TestWriter_OutputFails(t *testing.T) {
	t.Parallel()
	content := rows()
	whole := len(write(t, manifest(), content))
	for _, room := range []int{0, 100, whole / 2, whole - 1} {
		out := &full{room: room}
		w, err := backup.NewWriter(out, manifest())
		for _, table := range manifest().Tables {
			if err == nil {
				err = w.Table(table.Name, func(to io.Writer) error {
					_, err := io.WriteString(to, content[table.Name])
					return err
				})
			}
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

var errFull = errors.New("no space left")

type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// Whatever the bytes are, opening them ends, and what is opened can be read.
func FuzzOpen(f *testing.F) {
	whole := write(f, manifest(), rows())
	f.Add(whole[:len(whole)-40])
	f.Add([]byte{0x28, 0xB5, 0x2F, 0xFD})
	f.Fuzz(func(t *testing.T, frame []byte) {
		file, err := backup.Open(bytes.NewReader(seal(t, frame)))
		if err != nil {
			if !errors.Is(err, backup.ErrFile) {
				t.Errorf("got %v", err)
			}
			return
		}
		must(t, file.Tables(func(backup.Table, io.Reader) error { return nil }))
	})
}

// Whatever else zstd wrote is nobody's backup, and is not to be replaced by one.
func TestLooks_OnlyOurs(t *testing.T) {
	t.Parallel()
	var whole bytes.Buffer
	w, err := backup.NewWriter(&whole, backup.Manifest{})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	ours := whole.Bytes()
	const seal = 40
	for name, tc := range map[string]struct {
		file []byte
		want bool
	}{
		"ours":            {ours, true},
		"damaged":         {append(append(bytes.Clone(ours[:8]), 'x'), ours[8:]...), true},
		"without a seal":  {ours[:len(ours)-seal], false},
		"only the seal":   {ours[len(ours)-seal:], false},
		"only the start":  {ours[:4], false},
		"followed by one": {append(bytes.Clone(ours), 'x'), false},
		"empty":           {nil, false},
	} {
		if got := backup.Looks(bytes.NewReader(tc.file), int64(len(tc.file))); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
