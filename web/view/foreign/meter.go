package foreign

import (
	"errors"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// meter bounds the work of reading one text. Some of the library's parsers
// look at the rest of a paragraph for each mark in it, so that 256 KB of "[a]("
// take it two minutes. Each call is charged with the bytes that it may look at.
type meter struct{ left int }

// affordable is some tenths of a second at worst. A long text of ordinary
// Markdown needs a tenth of it.
const affordable = 64 << 20

// errCostly ends the reading of a text. It is thrown, since the library's
// parsers cannot return an error, and caught in parse.
var errCostly = errors.New("the text takes too long to be rendered")

func (m *meter) charge(bytes int) {
	m.left -= bytes + 1
	if m.left < 0 {
		panic(errCostly)
	}
}

// parse reads a text, or reports that this would take too long.
func parse(source []byte) (tree ast.Node, ok bool) {
	defer func() {
		switch thrown := recover(); thrown {
		case nil:
		case errCostly:
			tree, ok = nil, false
		default:
			panic(thrown)
		}
	}()
	return newParser(&meter{affordable}).Parse(text.NewReader(source)), true
}

// newParser reads CommonMark with the tables and the strike-through of GitHub.
// The library's own extensions are not used: they drop surplus cells, and
// importing them alone costs a millisecond at each start of the program.
func newParser(m *meter) parser.Parser {
	inline := append(parser.DefaultInlineParsers(), util.Prioritized(strikeParser{}, 500))
	paragraphs := append(parser.DefaultParagraphTransformers(), util.Prioritized(tableParser{}, 200))
	return parser.NewParser(
		parser.WithBlockParsers(m.wrap(parser.DefaultBlockParsers())...),
		parser.WithInlineParsers(m.wrap(inline)...),
		parser.WithParagraphTransformers(m.wrap(paragraphs)...),
	)
}

func (m *meter) wrap(parsers []util.PrioritizedValue) []util.PrioritizedValue {
	for i, p := range parsers {
		switch inner := p.Value.(type) {
		case parser.BlockParser:
			parsers[i].Value = meteredBlock{inner, m}
		case parser.InlineParser:
			parsers[i].Value = meteredInline{inner, m}
		case parser.ParagraphTransformer:
			parsers[i].Value = meteredTransformer{inner, m}
		}
	}
	return parsers
}

type meteredBlock struct {
	parser.BlockParser
	meter *meter
}

// Open implements parser.BlockParser.
func (p meteredBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	p.meter.charge(len(line))
	return p.BlockParser.Open(parent, reader, pc)
}

// Continue implements parser.BlockParser.
func (p meteredBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, _ := reader.PeekLine()
	p.meter.charge(len(line))
	return p.BlockParser.Continue(node, reader, pc)
}

type meteredInline struct {
	parser.InlineParser
	meter *meter
}

// Parse implements parser.InlineParser. It is charged with the rest of the
// paragraph.
func (p meteredInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, here := block.Position()
	if lines := parent.Lines(); lines.Len() > 0 {
		p.meter.charge(max(0, lines.At(lines.Len()-1).Stop-here.Start))
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// CloseBlock implements parser.CloseBlocker, for those that do.
func (p meteredInline) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if inner, ok := p.InlineParser.(parser.CloseBlocker); ok {
		inner.CloseBlock(parent, block, pc)
	}
}

type meteredTransformer struct {
	parser.ParagraphTransformer
	meter *meter
}

// Transform implements parser.ParagraphTransformer. It is charged with the
// square of the lines: taking a definition out of a paragraph copies the rest.
func (p meteredTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines().Len()
	p.meter.charge(lines * lines)
	p.ParagraphTransformer.Transform(node, reader, pc)
}
