package sync_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	msync "github.com/teammem/teammem/sync"
)

func TestItems(t *testing.T) {
	t.Parallel()
	const index = "\ufeff---\r\n- no: item\r\n---\r\n# Index\r\n\r\n- [a](./a.md) — first\r\n  and more\r\n* see [b](<b c.md>) and [c](c.md)\r\n" +
		"1. no link\r\n\r\n```\r\n- [code](code.md)\r\n```\r\n<!--\r\n- [hidden](hidden.md)\r\n-->\r\n- [a](a.md) again\r\n- - -\r\n"
	want := []msync.Item{
		{Line: 6, Lines: []string{"- [a](./a.md) — first", "  and more"}, Target: "a.md"},
		{Line: 8, Lines: []string{"* see [b](<b c.md>) and [c](c.md)"}, Target: "b c.md"},
		{Line: 9, Lines: []string{"1. no link"}},
		{Line: 17, Lines: []string{"- [a](a.md) again"}, Target: "a.md"},
	}
	if diff := cmp.Diff(want, msync.Items([]byte(index))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := msync.Items(nil); got != nil {
		t.Errorf("an empty file has %v", got)
	}
}
