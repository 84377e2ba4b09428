package sync

import (
	"strings"
	"testing"
)

// Lines with words that both sides have anew came from one of them: a run was
// killed between file and index, and its member's client merges once more.
func TestMerge3_Once(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                      string
		base, server, local, want string // a word a line; "!" is a conflict
	}{
		{"an insertion that the server has elsewhere", "a b c", "a inserted-line b c", "a b inserted-line c", "a inserted-line b c"},
		{"an insertion that has all of the server's", "a b c", "a inserted-line b c", "a b inserted-line and-another-one c", "a b inserted-line and-another-one c"},
		{"a reworded line, further up", "a b c d", "a b reworded-line d", "a reworded-line c d", "!"},
		{"a rewording that the server has beside more", "a b c", "a new-paragraph . reworded-line c", "a reworded-line c", "a new-paragraph . reworded-line c"},
		{"an insertion of which the server has one line", "a b c", "a inserted-line b c", "a b inserted-line x c", "a b inserted-line x c"},
		{"insertions that have one line in common", "a b c", "a inserted-line y b c", "a b inserted-line x c", "a inserted-line y b inserted-line x c"},
		{"short lines", "a b c", "a x b c", "a b x c", "a x b x c"},
		{"a line that is moved here", "a first-line b c", "a first-line b c second-line", "a b c first-line", "a b c second-line first-line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			merged, clean := merge3(strings.Fields(tt.base), strings.Fields(tt.server), strings.Fields(tt.local))
			got := strings.Join(merged, " ")
			if !clean {
				got = "!"
			}
			if got != tt.want {
				t.Errorf("merge3(%q, %q, %q) = %q, want %q", tt.base, tt.server, tt.local, got, tt.want)
			}
		})
	}
}

// An edit that has one line with another one is no edit that both made: nothing
// short goes with it, and no line of the base.
func TestMergeEntry_NothingGoesAlong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                      string
		base, server, local, want string // "" is a conflict
	}{
		{
			"a short line under the same heading", "# Hosts\n", "# Hosts\n\n## Deployment\n- vm2\n", "# Hosts\n\n## Deployment\n- vm1\n",
			"# Hosts\n\n## Deployment\n- vm2\n- vm1\n",
		},
		{
			"a short line of the server's", "# Hosts\n", "# Hosts\n\n## Deployment\n- vm2\n",
			"# Hosts\n\n## Deployment\n- vm1 is for the old database\n", "# Hosts\n\n## Deployment\n- vm2\n- vm1 is for the old database\n",
		},
		{"two rewordings and one line alike", "a\nPort 80\nz\n", "a\nPort 81\nThe port was changed\nz\n", "a\nPort 82\nThe port was changed\nz\n", ""},
		{
			"a longer insertion", "# Hosts\n\nLast line of it all.\n", "# Hosts\nRestart the service first.\n\nLast line of it all.\n",
			"# Hosts\nRestart the service first.\nAsk: x\n\nLast line of it all.\n",
			"# Hosts\nRestart the service first.\nAsk: x\n\nLast line of it all.\n",
		},
		{
			"one line under each of two headings",
			"## Alpha service\n\nText of alpha one.\n\n## Beta service\n\nText of beta two.\n",
			"## Alpha service\nStatus: deprecated\n\nText of alpha one.\n\n## Beta service\n\nText of beta two.\n",
			"## Alpha service\n\nText of alpha one.\n\n## Beta service\nStatus: deprecated\n\nText of beta two.\n", "",
		},
		{
			"a moved paragraph", "# Top\n\nParagraph zero\n\nParagraph one\n\nParagraph two\n",
			"# Top\n\nNew one of the server\n\nParagraph two\n\nParagraph zero\n\nParagraph one\n",
			"# Top\n\nParagraph two\n\nParagraph one\n", "",
		},
		{"a delete beside a rewording", "## Hosts\nThe old host is gone\n", "## Hosts\n- none\n", "## Hosts\n- none\nThe old host is gone\n", "## Hosts\n- none\n"},
		{
			"two blocks of code that begin alike", "# Run\n", "# Run\n\n```\nmake a\n```\n", "# Run\n\n```\nmake b\n```\n",
			"# Run\n\n```\nmake a\n```\n\n```\nmake b\n```\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, clean := MergeEntry([]byte(tt.base), []byte(tt.server), []byte(tt.local))
			if string(got) != tt.want || clean != (tt.want != "") {
				t.Errorf("MergeEntry = %q, %t, want %q", got, clean, tt.want)
			}
		})
	}
}
