package golden

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Call is one request and the answer to it.
type Call struct {
	Name    string // that no other call of the route has
	Request Message
	Answer  Message
}

// Message is a request or an answer.
type Message struct {
	Line   string   // method and address, or status
	Header []string // that matter, each as "Name: value", sorted
	Body   string   // JSON laid out, or text as it is
}

// FileOf returns the name of the file of a route.
func FileOf(method, path string) string {
	path = strings.Trim(strings.TrimPrefix(path, "/api/v1"), "/")
	return strings.ToLower(method) + "_" + strings.NewReplacer("/", "_", "{", "", "}", "").Replace(path) + ".http"
}

// NewMessage describes a message. Of the header it takes the names.
func NewMessage(line string, header map[string][]string, names []string, body []byte) Message {
	m := Message{Line: line, Header: []string{}, Body: strings.TrimRight(layOut(body), "\n")}
	for _, name := range names {
		for _, value := range header[name] {
			m.Header = append(m.Header, name+": "+value)
		}
	}
	slices.Sort(m.Header)
	return m
}

// layOut writes JSON over several lines, its names in the order that they had.
func layOut(body []byte) string {
	v := jsontext.Value(bytes.Clone(body))
	if len(body) == 0 || !v.IsValid() || v.Indent() != nil {
		return string(body)
	}
	return string(v)
}

const (
	nameMark    = "=== "
	requestMark = "--- request"
	answerMark  = "--- answer"
)

// Write writes the calls of a route.
func Write(file, route string, calls []Call) error {
	var b strings.Builder
	b.WriteString(route + "\n")
	for _, c := range calls {
		b.WriteString("\n" + nameMark + c.Name + "\n" + requestMark + "\n")
		c.Request.write(&b)
		b.WriteString(answerMark + "\n")
		c.Answer.write(&b)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

func (m Message) write(b *strings.Builder) {
	for _, line := range append([]string{m.Line}, m.Header...) {
		b.WriteString(line + "\n")
	}
	if m.Body != "" {
		b.WriteString("\n" + m.Body + "\n")
	}
}

// Read returns the calls of a route, by their names.
func Read(file string) (map[string]Call, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	calls := map[string]Call{}
	for _, part := range strings.Split(string(b), "\n\n"+nameMark)[1:] {
		c, err := read(part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		calls[c.Name] = c
	}
	return calls, nil
}

func read(part string) (Call, error) {
	name, rest, named := strings.Cut(part, "\n"+requestMark+"\n")
	request, answer, answered := strings.Cut(rest, "\n"+answerMark+"\n")
	if !named || !answered {
		return Call{}, fmt.Errorf("call %q is not whole", name)
	}
	return Call{name, message(request), message(strings.TrimRight(answer, "\n"))}, nil
}

func message(s string) Message {
	head, body, _ := strings.Cut(s, "\n\n")
	lines := strings.Split(head, "\n")
	return Message{Line: lines[0], Header: lines[1:], Body: body}
}

// RequestHeader are the names of what matters in the header of a request.
func RequestHeader() []string {
	return []string{"Accept", "Authorization", "Content-Type", "If-Match", "If-None-Match", "Teammem-Device"}
}

// AnswerHeader are the names of what matters in the header of an answer.
func AnswerHeader() []string {
	return []string{"Cache-Control", "Content-Type", "Etag", "Retry-After", "Teammem-Api", "Teammem-Instance", "Www-Authenticate", "X-Accel-Buffering"}
}
