package hook

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// A memory that is not the linked one is never told, and the member hears why.
func TestSession_Held(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(m *member)
		want   string
	}{
		{"the folder leads elsewhere", func(m *member) {
			m.must(os.Rename(m.at("memory"), m.at("old")))
			m.mkdir(m.at("new"))
			m.must(os.Symlink(m.at("new"), m.at("memory")))
		}, "now leads to"},
		{"the agent's rules lead elsewhere", func(m *member) {
			m.link.Source = "default"
			m.must(m.dirs.SaveLink(m.link))
			m.env["TEAMMEM_MEMORY_DIR"] = m.at("elsewhere")
		}, "the agent's memory for"},
		{"no marker", func(m *member) { m.must(os.Remove(m.team(".teammem"))) }, "marker"},
		{"another's marker", func(m *member) { m.write(m.team(".teammem"), "instance x\nproject y\nroot 0123456789abcdef\n") }, "marker"},
		{"no team folder", func(m *member) { m.must(os.RemoveAll(m.team())) }, "team"},
		{"a folder with a memory of its own", func(m *member) {
			m.must(os.Rename(m.at("app"), m.at("outer")))
			m.mkdir(m.at("outer", "app"))
			m.must(os.Symlink(m.at("outer", "app"), m.at("app")))
			m.link.Folder = m.at("outer")
			m.must(m.dirs.SaveLink(m.link))
		}, "teammem link"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMember(t, badServers()["down"](t))
			tt.change(m)
			r := m.started("one", "startup")
			if r.Specific.Context != "" || !strings.HasPrefix(r.Message, "teammem: nothing of the team's memory was told to this session: ") ||
				!strings.Contains(r.Message, tt.want) {
				t.Errorf("got %s, want why (%s)", r.raw, tt.want)
			}
			if r := m.replay(PostToolUse, "post_write"); r.raw != "" {
				t.Errorf("a write has the answer %s", r.raw)
			}
		})
	}
}

// A worktree and a folder below share the memory of their repository.
func TestSession_SharedMemory(t *testing.T) {
	t.Parallel()
	m := newMember(t, badServers()["down"](t))
	m.mkdir(m.at("app", ".git", "worktrees", "w"))
	m.mkdir(m.at("app", "deep", "er"))
	m.write(m.at("w", ".git"), "gitdir: "+m.at("app", ".git", "worktrees", "w")+"\n")
	m.write(m.at("app", ".git", "worktrees", "w", "gitdir"), m.at("w", ".git")+"\n")
	m.write(m.at("app", ".git", "worktrees", "w", "commondir"), "../..\n")
	for i, folder := range []string{m.at("app"), m.at("app", "deep", "er"), m.at("w")} {
		stdin := fmt.Sprintf(`{"session_id":"%d","cwd":%q,"hook_event_name":"SessionStart","source":"startup"}`, i, folder)
		if r := m.run(SessionStart, strings.NewReader(stdin)); !strings.HasPrefix(r.Specific.Context, "Team memory of acme/app") {
			t.Errorf("%s: got %s", folder, r.raw)
		}
	}
}

// Without a login the member is told how to get one, and hears what is known.
func TestSession_NotLoggedIn(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	h := m.hooks()
	h.Syncer = func(l client.Link) (*client.Syncer, error) {
		_, err := client.Dirs{Config: m.at("none")}.Login(l.Server)
		return nil, err
	}
	var out strings.Builder
	m.must(h.Run(t.Context(), SessionStart, strings.NewReader(m.recorded("session_start")), &out))
	if got := out.String(); !strings.Contains(got, "run teammem login") || !strings.Contains(got, "Team memory of acme/app") {
		t.Errorf("got %s", got)
	}
}

// The second of two installations stays silent, and a session that goes on has
// nothing to be told while nothing is new.
func TestSession_Silent(t *testing.T) {
	t.Parallel()
	m := newMember(t, badServers()["down"](t))
	if r := m.started("one", "startup"); r.Specific.Context == "" {
		t.Errorf("got %s", r.raw)
	}
	if r := m.started("one", "startup"); r.raw != "" {
		t.Errorf("a second time: %s", r.raw)
	}
	for _, source := range []string{"resume", "fork"} {
		if r := m.started("one", source); r.Specific.Context != "" || !strings.Contains(r.Message, "could not be reached") {
			t.Errorf("%s: got %s", source, r.raw)
		}
	}
	for _, source := range []string{"clear", "compact", "of tomorrow"} {
		if r := m.started("one", source); r.Specific.Context == "" {
			t.Errorf("%s: got %s", source, r.raw)
		}
	}
}

func path1(t testing.TB, key string) memory.Path {
	t.Helper()
	p, err := memory.ParsePath(key)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// known is a state with an entry for each rev, by Ben, or by the author that is
// named after a blank.
func known(t *testing.T, seq int64, entries map[string]int64) client.Known {
	t.Helper()
	k := client.Known{Cursor: memory.Cursor{Epoch: "e1", Seq: seq}}
	for name, rev := range entries {
		path, author, _ := strings.Cut(name, " ")
		if author == "" {
			author = "ben"
		}
		k.Entries = append(k.Entries, client.KnownEntry{Path: path1(t, path), Rev: rev, Author: author})
	}
	return k
}

// What is news depends on what was told: to this session if it goes on, else to
// any.
func TestNews(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	tell := func(id, source string, k client.Known) (changes, gone []string) {
		s := session{Hooks: m.hooks(), link: m.link, in: input{Session: id, Source: source}}
		before, _ := load(s.state.linkFile(m.link))
		n := s.news(k, before, s.toldEntries(t.Context(), k, before))
		for _, c := range n.changes {
			changes = append(changes, c.Verb+" "+c.Path.String()+" "+c.Author)
		}
		m.must(n.remember())
		return changes, n.gone
	}
	want := func(what string, got, want []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	changes, gone := tell("a", "startup", known(t, 2, map[string]int64{"x.md": 1, "y.md": 2}))
	want("at first", append(changes, gone...), nil)

	changes, _ = tell("b", "startup", known(t, 4, map[string]int64{"x.md": 3, "y.md": 2, "z.md mara": 4}))
	want("another session; what mara wrote is no news to her", changes, []string{"changed x.md ben"})

	changes, gone = tell("a", "resume", known(t, 5, map[string]int64{"x.md": 3, "z.md mara": 4}))
	want("the first goes on", changes, []string{"changed x.md ben"})
	want("what is gone", gone, []string{"y.md"})

	changes, gone = tell("a", "resume", known(t, 5, map[string]int64{"x.md": 3, "z.md mara": 4}))
	want("and once more", append(changes, gone...), nil)

	changes, _ = tell("c", "fork", known(t, 6, map[string]int64{"x.md": 6, "z.md mara": 4}))
	want("a fork that was told nothing itself", changes, []string{"changed x.md ben"})

	k := known(t, 2, map[string]int64{"x.md": 1, "q.md": 2})
	k.Cursor.Epoch = "e2"
	changes, gone = tell("d", "startup", k)
	want("another history", append(changes, gone...), nil)

	changes, gone = tell("d", "resume", client.Known{Notices: []string{"the index is damaged"}})
	want("nothing known", append(changes, gone...), nil)
	changes, _ = tell("d", "resume", k)
	want("which is not remembered", changes, nil)
}

// What waits for the member is told with its reason, and only so much of it.
func TestNotices(t *testing.T) {
	t.Parallel()
	k := client.Known{Notices: []string{"last"}}
	for n := range mostOfAKind + 2 {
		k.Conflicts = append(k.Conflicts, client.Conflict{Path: path1(t, fmt.Sprintf("c%d.md", n)), File: "/kept/it.md"})
	}
	for _, state := range []memory.ProposalState{
		memory.ProposalPending, memory.ProposalRejected, memory.ProposalPublished, memory.ProposalSuperseded, memory.ProposalWithdrawn,
	} {
		k.Waiting = append(k.Waiting, client.Waiting{
			Path: path1(t, string(state)+".md"), State: state, By: "ben", Reason: memory.ReasonOutdated, Note: "see\nthe <new> one",
		})
	}
	k.Refused = []client.Refused{{File: "a.md", Problem: &memory.Error{Code: memory.CodeTooLarge, Message: "it is too large", Hint: "split it"}}}
	got := notices(k, []string{"gone.md"})
	want := make([]string, 0, len(got))
	for n := range mostOfAKind {
		want = append(want, fmt.Sprintf("A teammate changed team/c%d.md as well: their text is in the folder now, the one from here in /kept/it.md.", n))
	}
	want = append(want,
		"and 2 more conflicts",
		"team/pending.md waits for review; teammates do not see it yet.",
		"team/rejected.md was rejected by ben (outdated). They wrote: “see the ‹new› one”. It stays on this computer only.",
		"team/a.md is not shared: it is too large. What helps: split it.",
		"Not there any more: team/gone.md",
		"last",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A verdict that was owed is told once a sync has ended since.
func TestStanding(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	k := client.Known{
		LastSync:  at.Add(time.Second),
		Refused:   []client.Refused{{File: "r.md", Problem: &memory.Error{Message: "no"}}, {File: "s.md", Remote: true, Problem: &memory.Error{}}},
		Conflicts: []client.Conflict{{Path: path1(t, "c.md"), File: "/kept"}},
		Waiting:   []client.Waiting{{Path: path1(t, "w.md"), State: memory.ProposalPending}},
	}
	for disk, want := range map[string]string{"r.md": "not shared: no", "c.md": "the one from here in /kept", "w.md": "waits for review", "s.md": "", "p.md": ""} {
		text, ok := standing(k, pending{Disk: disk, At: at})
		if !ok || !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%s: got %q, %t; want %q", disk, text, ok, want)
		}
	}
	if text, ok := standing(k, pending{Disk: "r.md", At: at.Add(time.Minute)}); ok {
		t.Errorf("told %q before a sync has ended", text)
	}
}

// What an entry says of itself is read once, the newest first, and only if the
// file is what the server has.
func TestToldEntries(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	s := session{Hooks: m.hooks(), link: m.link, in: input{Source: "startup"}}
	k := client.Known{Cursor: memory.Cursor{Epoch: "e1", Seq: 3}}
	for rev, name := range []string{"a.md", "b.md", "edited.md", "missing.md", "MEMORY.md"} {
		text := "---\ndescription: about " + name + "\ntype: feedback\n---\n"
		m.write(m.team(name), text)
		k.Entries = append(k.Entries, client.KnownEntry{
			Path: path1(t, name), Disk: name, Rev: int64(rev + 1), Sum: memory.Sum([]byte(text)), At: time.Unix(int64(rev), 0), Author: "ben",
		})
	}
	m.write(m.team("edited.md"), "not what the server has\n")
	m.must(os.Remove(m.team("missing.md")))
	told := s.toldEntries(t.Context(), k, toldOf{})
	want := map[string]toldEntry{
		"a.md": {1, memory.KindFeedback, "about a.md"}, "b.md": {2, memory.KindFeedback, "about b.md"},
		"edited.md": {Rev: 3}, "missing.md": {Rev: 4}, "MEMORY.md": {Rev: 5},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if lines := indexLines(k, told); len(lines) != 4 || lines[0].Description != "about a.md" || lines[0].Author != "ben" {
		t.Errorf("lists %+v", lines)
	}

	m.must(os.RemoveAll(m.team("a.md"))) // it is not read again
	k.Entries[1].Rev = 9
	m.write(m.team("b.md"), "b\n") // another text, which the server does not have
	again := s.toldEntries(t.Context(), k, toldOf{Epoch: "e1", Entries: told})
	want["b.md"] = toldEntry{Rev: 9}
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("a second time (-want +got):\n%s", diff)
	}
	other := s.toldEntries(t.Context(), k, toldOf{Epoch: "e0", Entries: told})
	if other["a.md"].Description != "" {
		t.Error("what was told of another history counts")
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if told := s.toldEntries(ended, k, toldOf{}); len(told) != 5 || told["a.md"].Kind != "" {
		t.Errorf("without time it read %+v", told)
	}
}

func TestTold(t *testing.T) {
	t.Parallel()
	if got := told("a\n<b>\x00\n\u202ec"); got != "a\n‹b›\nc" {
		t.Errorf("got %q", got)
	}
	long := told(strings.Repeat(strings.Repeat("😀", 40)+"\n", 1000))
	if n := units(long); n > memory.MaxTeamIndex || n < memory.MaxTeamIndex-100 {
		t.Errorf("got %d units", n)
	}
}

// What sessions of long ago left is removed, and what was told of a link stays.
func TestState_Tidy(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	s := m.hooks().state
	s.once(input{Session: "old", Event: Stop})
	m.must(s.owe("old", spot{m.link, "a.md", ""}))
	m.must(save(s.linkFile(m.link), toldOf{Epoch: "e", Seq: 1}))
	m.must(save(s.sessionFile("old", m.link), toldOf{Epoch: "e", Seq: 1}))
	m.must(s.tidy())
	if len(s.owed("old")) != 1 {
		t.Error("what is young is gone")
	}
	s.clock = func() time.Time { return time.Now().Add(keepState + time.Hour) }
	m.must(s.tidy())
	if _, ok := load(s.linkFile(m.link)); !ok || len(s.owed("old")) > 0 {
		t.Errorf("kept of the link: %t, owed %v", ok, s.owed("old"))
	}
	if _, ok := load(s.sessionFile("old", m.link)); ok {
		t.Error("the old session is still there")
	}
}

// An event without an id of its own is told from a later one by the time.
func TestState_Once(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	s, now := m.hooks().state, time.Now()
	s.clock = func() time.Time { return now }
	in := input{Session: "s", Event: SessionStart, Source: "startup"}
	got := []bool{s.once(in), s.once(in)}
	now = now.Add(twins / 2)
	got = append(got, s.once(in))
	now = now.Add(3 * twins)
	got = append(got, s.once(in), s.once(in))
	if diff := cmp.Diff([]bool{true, false, false, true, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
