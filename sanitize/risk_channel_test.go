package sanitize_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

// prose is a note of so many words.
func prose(words int) string {
	from := strings.Fields("the deploy job reads its settings from the queue and writes one line for each host it could not reach")
	var b strings.Builder
	for i := range words {
		b.WriteString(from[i%len(from)])
		switch {
		case i%90 == 89:
			b.WriteString(".\n\n")
		case i%12 == 11:
			b.WriteString("\n")
		default:
			b.WriteString(" ")
		}
	}
	return b.String()
}

// either replaces one of the strings, wherever it stands, by the other or itself,
// as the bits say.
func either(text, zero, one string, bits []bool) string {
	parts := strings.Split(text, zero)
	var b strings.Builder
	for i, p := range parts {
		b.WriteString(p)
		switch {
		case i == len(parts)-1:
		case i < len(bits) && bits[i]:
			b.WriteString(one)
		default:
			b.WriteString(zero)
		}
	}
	return b.String()
}

// hiding are ways to write 200 bits into a note so that nobody sees them. None
// puts anything where it could not stand.
func hiding() map[string]func(bits []bool) string {
	blank := func(one string) func([]bool) string {
		return func(bits []bool) string { return "# Deploys\n\n" + either(prose(240), " ", one, bits) }
	}
	ways := map[string]func([]bool) string{
		"selectors in rows of warning signs": func(bits []bool) string {
			return "# Alerts\n\n" + either(strings.Repeat(strings.Repeat("⚠", 20)+"\n", 10), "⚠", "⚠\ufe0f", bits)
		},
		"selectors behind emoji": func(bits []bool) string {
			return either(strings.Repeat("- ✅ done: the job runs again, and nobody had to log in\n", 200), "✅", "✅\ufe0f", bits)
		},
		"selectors of text": func(bits []bool) string {
			return either(strings.Repeat("│   ├── job.go\n", 200), "│", "│\ufe0e", bits)
		},
		"selectors behind signs of which no two are the same": func(bits []bool) string {
			var b strings.Builder
			for i, bit := range bits {
				b.WriteRune(rune(0x1F300 + i))
				if bit {
					b.WriteRune(0xFE0F)
				}
				b.WriteString(" ")
			}
			return b.String()
		},
		"keycaps": func(bits []bool) string {
			return either(strings.Repeat("1\u20e3 first step of the job\n", 200), "1\u20e3", "1\ufe0f\u20e3", bits)
		},
		"Mongolian selectors": func(bits []bool) string {
			return either(strings.Repeat("ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ ", 100), "ᠭ", "ᠭ\u180b", bits)
		},
		"Khmer vowels": func(bits []bool) string {
			return either(strings.Repeat("មនុស្សទាំងអស់កើតមកមានសេរីភាព។ ", 120), "ន", "ន\u17b5", bits)
		},
		"fillers beside jamo": func(bits []bool) string {
			return either(strings.Repeat("\u1112\u1161\u11ab\u1100\u1173\u11af ", 200), "\u1112\u1161", "\u1112\u1160\u1161", bits)
		},
		"blanks before French punctuation": func(bits []bool) string {
			return either(strings.Repeat("Le serveur répond : tout va bien.\n", 200), " :", "\u202f:", bits)
		},
		"blanks between Chinese words": func(bits []bool) string {
			return either(strings.Repeat("集成测试 数据库 部署。\n", 100), " ", "\u3000", bits)
		},
		"indents": func(bits []bool) string {
			return either(strings.Repeat("\n  - the job runs again", 200), "\n  ", "\n\u2002", bits)
		},
		"spellings of one letter": func(bits []bool) string {
			return either(strings.Repeat("Le café est fermé.\n", 100), "é", "e\u0301", bits)
		},
		"spellings of one syllable": func(bits []bool) string {
			return either(strings.Repeat("배포는 매주 합니다.\n", 200), "배", "\u1107\u1162", bits)
		},
		"line ends": func(bits []bool) string {
			return either(strings.Repeat("The job runs again.\n", 200), "\n", "\r\n", bits)
		},
		"blanks at the ends of lines": func(bits []bool) string {
			return either(strings.Repeat("The job runs again.\n", 200), "\n", " \n", bits)
		},
		"tabs at the ends of lines": func(bits []bool) string {
			return either(strings.Repeat("The job runs again.\n", 200), "\n", "\t\n", bits)
		},
	}
	for r := rune(0x2000); r <= 0x200A; r++ {
		ways[fmt.Sprintf("%U", r)] = blank(string(r))
	}
	for _, r := range []rune{0xA0, 0x1680, 0x202F, 0x205F, 0x3000} {
		ways[fmt.Sprintf("%U", r)] = blank(string(r))
	}
	return ways
}

// A message that nobody sees is told of, with the place where it begins to be
// more than chance, and what carries it is not without it.
func TestRisks_HiddenMessage(t *testing.T) {
	t.Parallel()
	const size = 200
	random := rand.New(rand.NewPCG(1, 2))
	bits := make([]bool, size)
	for i := range bits {
		bits[i] = random.IntN(2) == 1
	}
	for name, hide := range hiding() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			without, with := hide(make([]bool, size)), hide(bits)
			if with == without || sanitize.CheckText([]byte(with)) != nil {
				t.Fatal("there is no message in it, or it is refused")
			}
			if got := channels(without); len(got) > 0 {
				t.Errorf("without a message: %v", got)
			}
			got := channels(with)
			if len(got) == 0 || got[0].Line < 1 || got[0].Line > strings.Count(with, "\n")+1 || got[0].Length < 1 {
				t.Errorf("with a message: %v", got)
			}
		})
	}
}

// channels are the risks of a text that tell of a message nobody sees.
func channels(text string) []sanitize.Risk {
	tells := []sanitize.Cause{sanitize.CauseChannel, sanitize.CauseHidden, sanitize.CauseJoiner}
	return slices.DeleteFunc(risksOf(text), func(r sanitize.Risk) bool { return !slices.Contains(tells, r.Cause) })
}

// What people write in their languages, and as they write, is no message.
func TestRisks_NoHiddenMessage(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"Mongolian": strings.Repeat("ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ ᠮᠡᠨᠳᠡᠯᠡᠬᠦ ᠡᠷᠬᠡ ᠴᠢᠯᠥᠭᠡ\u202fᠲᠡᠢ᠂ ᠠᠳᠠᠯᠢᠬᠠᠨ ᠨᠡᠷ\u180eᠡ ᠲᠥᠷᠥ\u202fᠲᠡᠢ᠂ "+
			"ᠢᠵᠢᠯ ᠡᠷᠬᠡ\u202fᠲᠡᠢ ᠪᠠᠶ\u180bᠢᠨ\u180eᠠ᠃ ᠣᠶᠤᠨ ᠤᠬᠠᠭᠠᠨ᠂ ᠨᠠᠨᠳᠢᠨ ᠴᠢᠨᠠᠷ ᠵᠠᠶᠠᠭᠠᠭᠰᠠᠨ ᠬᠦᠮᠦᠨ ᠬᠡᠭᠴᠢ ᠥᠭᠡᠷ\u180eᠡ ᠬᠣᠭᠣᠷᠣᠨᠳᠣ\u180eᠨ ᠠᠬᠠᠨ ᠳᠡᠭᠦᠦ\u202fᠶᠢᠨ ᠦᠵᠢᠯ᠃\n", 20),
		"Khmer":   strings.Repeat("មនុស្សទាំងអស់កើតមកមានសេរីភាព\u200b និងសមភាព\u200bក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរ\u200bនិងសិទ្ធិ។\n", 20),
		"Korean":  strings.Repeat("통합 테스트는 실제 데이터베이스에서 실행한다. API 응답은 10 초 안에 온다.\n", 40),
		"jamo":    "자음은 \u1100\u1160, 모음은 \u115f\u1161 로 쓴다.\n" + strings.Repeat("\u1112\u119e\u11ab\u1100\u1173\u11af\n", 40),
		"French":  strings.Repeat("Le serveur\u00a0: « il répond\u00a0» ; il faut\u202f10\u202f000\u00a0€\u202f! Pourquoi\u202f?\n", 40),
		"authors": strings.Repeat("Il a dit «\u00a0non\u00a0», puis 3\u00a0km plus loin\u00a0: oui.\n", 20) + strings.Repeat("Il a dit « non », à 3 km : oui.\n", 20),
		"Chinese": strings.Repeat("\u3000\u3000集成测试必须用真实的数据库，不能用模拟。API 接口在 8080 端口。\n\n- 部署说明\n  - 回滚步骤\n", 40),
		"name":    strings.Repeat("山田\u3000太郎、鈴木\u3000花子\n", 30),
		"German":  strings.Repeat("Das dauert z.\u202fB. 10\u00a0Minuten, s.\u00a0u. in §\u00a05.\n", 40),
		"figures": strings.Repeat("| 12\u2009000 | 4\u2009% | a\u200a—\u200ab |\n", 40),
		"pasted":  strings.Repeat(prose(60)+"A word\u00a0 and another, pasted\u00a0from a page.\n\n", 6),
		"emoji": strings.Repeat("⚠️ slow, ❤️ fast, ✅ done, ❌ not, ℹ️ 1️⃣ 2️⃣\n", 40) +
			"⚠ and ✔ and ☑ as they come: ⚙️ 🛠️ 🗂️ ☁️ 🖥️ ✔️ ▶️ ⏱️ 🏷️ ✏️ 🚀 🔥 📦 🧪 🔒 🐛 ✨ 📝 🎉 💡\n",
		"tree":          strings.Repeat("│   ├── a.go ⚠️\n│   └── b.go\n", 40),
		"Markdown ends": strings.Repeat("One line  \nand the next\n\n", 40),
		"sloppy":        strings.Repeat("One line \nand the next\nand more\n\n- a\n- b\n", 6),
		"empty cells":   strings.Repeat("job\tmachine\t\n", 30) + strings.Repeat("One line  \nand the next\n\n", 10),
		"Windows":       strings.Repeat("One line\r\nand the next\r\n", 40),
		"decomposed":    strings.Repeat("Le cafe\u0301 est ferme\u0301.\n", 40),
		"Vietnamese":    strings.Repeat("Máy chủ trả lời rất nhanh, cần kiểm tra lại.\n", 40),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range channels(text) {
				if name == "Khmer" && r.Cause == sanitize.CauseHidden { // blanks of no width, which part its words
					continue
				}
				t.Errorf("got %v", r)
			}
		})
	}
}
