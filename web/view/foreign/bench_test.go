package foreign_test

import (
	"strings"
	"testing"

	"github.com/teammem/teammem/web/view/foreign"
)

func BenchmarkMarkdown(b *testing.B) {
	source := strings.Repeat("## Refunds\n\nOver **250 EUR** a second person [approves](refunds.md), `make test` says so.\n\n- one\n- two\n\n", 40)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		foreign.Markdown(source, resolve)
	}
}

func BenchmarkLine(b *testing.B) {
	for b.Loop() {
		foreign.Line("Refund approval threshold \u200b and 👍🏽")
	}
}
