package memory

import (
	"regexp"
	"strings"
	"testing"
)

func TestRole_Names(t *testing.T) {
	t.Parallel()
	for r := RoleNone; r <= RoleMaintainer; r++ {
		if got, err := ParseRole(r.String()); err != nil || got != r {
			t.Errorf("%s parses as %v, %v", r, got, err)
		}
	}
	for _, bad := range []string{"", "Viewer", "owner"} {
		if r, err := ParseRole(bad); CodeOf(err) != CodeInvalid || r != RoleNone {
			t.Errorf("%q: got %s, %v", bad, r, err)
		}
	}
}

// Ids are what clients take for opaque words: each is new, and names its kind.
func TestNewIDs(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^(prj|ent|mem|dev|tok|ins)_[a-z2-7]{20}$`)
	seen := map[string]bool{}
	for range 100 {
		for _, id := range []string{
			string(NewProjectID()), string(NewEntryID()), string(NewMemberID()), string(NewDeviceID()), string(NewTokenID()), NewInstanceID(),
		} {
			if !form.MatchString(id) || seen[id] {
				t.Fatalf("id %q, seen before: %v", id, seen[id])
			}
			seen[id] = true
		}
	}
	if epoch := NewEpoch(); !regexp.MustCompile(`^e[a-z2-7]{7}$`).MatchString(epoch) {
		t.Errorf("epoch %q", epoch)
	}
}

func TestEntryID_Valid(t *testing.T) {
	t.Parallel()
	for id, want := range map[EntryID]bool{
		NewEntryID(): true, "ent_a": true, EntryID("ent_" + strings.Repeat("x", 64)): true,
		"": false, "ent_": false, "prj_a": false, "ent_A": false, "ent_a b": false, "ent_é": false, "ent_a\x00": false,
		EntryID("ent_" + strings.Repeat("x", 65)): false,
	} {
		if got := id.valid(); got != want {
			t.Errorf("%q is valid: %v, want %v", id, got, want)
		}
	}
}

func TestService_AddDevice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d, err := b.AddDevice(t.Context(), b.who, "Mara's laptop", "linux")
	must(t, err)
	if d.Member != b.who.Member || d.Name != "Mara's laptop" || d.OS != "linux" || d.CreatedAt != start() || b.store.devices[1] != d.ID {
		t.Errorf("got %+v", d)
	}
	if row := b.store.audit[0]; row.Action != "device.add" || row.Object != string(d.ID) || row.Actor != b.who.Member || row.At != start() {
		t.Errorf("audit %+v", row)
	}
	for name, in := range map[string][2]string{
		"no name": {"", "linux"}, "long name": {strings.Repeat("x", 201), "linux"}, "hidden name": {"a\x00b", "linux"}, "bad UTF-8": {"a\xff", ""},
		"blank name": {"\u3164\u3164", ""}, "name of blanks": {" ", ""},
		"long system": {"x", strings.Repeat("x", 51)}, "hidden system": {"x", "a\nb"},
	} {
		if _, err := b.AddDevice(t.Context(), b.who, in[0], in[1]); CodeOf(err) != CodeInvalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := b.AddDevice(t.Context(), b.who, "x", ""); err != nil {
		t.Errorf("no system: %v", err)
	}
}
