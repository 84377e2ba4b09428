package sanitize_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/sanitize"
)

func BenchmarkParseKey(b *testing.B) {
	for _, bm := range []struct{ name, key string }{
		{"ascii", "testing/integration-tests-must-hit-a-real-database.md"},
		{"ascii-upper", "Testing/Integration tests must hit a real DB.md"},
		{"latin", "über/straßenverkehr und größe.md"},
		{"latin-nfd", norm.NFD.String("über/straßenverkehr und größe.md")},
		{"chinese", "文档/部署说明和回滚步骤.md"},
		{"hangul", "문서/배포 안내와 되돌리기.md"},
		{"refused", "testing/../database.md"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = sanitize.ParseKey(bm.key)
			}
		})
	}
}

func BenchmarkCheckText(b *testing.B) {
	for _, bm := range []struct{ name, line string }{
		{"ascii", "- run the integration tests against a real database, never a mock\n"},
		{"latin", "- Prüfungen laufen gegen eine echte Datenbank – nie gegen Attrappen\n"},
		{"chinese", "集成测试必须使用真实的数据库而不是模拟\n"},
		{"blanks", "а\u200b\u2060\u00ad"},
		{"refused", "\u202e"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			text := []byte(strings.Repeat(bm.line, 256<<10/len(bm.line)))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_ = sanitize.CheckText(text)
			}
		})
	}
}

// What the server pays for a note, beside the scan for secrets.
func BenchmarkRisks(b *testing.B) {
	const note = "## Why\n\nRun the integration tests against a real database, never a mock: a [migration](https://x.example/1) broke once.\n"
	rules := sanitize.NewRiskRules()
	for _, size := range []int{4 << 10, 256 << 10} {
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			text := strings.Repeat(note, size/len(note))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_ = rules.Risks(text)
			}
		})
	}
}

func BenchmarkSkeleton(b *testing.B) {
	for _, bm := range []struct{ name, key string }{
		{"ascii", "testing/integration-tests-must-hit-a-real-database.md"},
		{"latin", "über/straßenverkehr und größe.md"},
		{"chinese", "文档/部署说明和回滚步骤.md"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = sanitize.Skeleton(bm.key)
			}
		})
	}
}

// What a scan of a large tree pays: every key is parsed, checked and added.
func BenchmarkNames(b *testing.B) {
	keys := make([]string, 10_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("area-%d/topic-%d/what-we-learnt-%d.md", i%10, i%100, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		var names sanitize.Names
		for _, raw := range keys {
			key, err := sanitize.ParseKey(raw)
			if err == nil {
				err = names.Check(key)
			}
			if err != nil {
				b.Fatal(err)
			}
			names.Add(key)
		}
	}
}
