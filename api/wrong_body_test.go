package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
)

// Every call that takes a body gets every body that is wrong for all of them,
// and its own good body with one value of it spoiled.
func TestWrong_Bodies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := knockOn(t, b)
	reviewer := b.members[memory.RoleMaintainer]
	everywhere := badBodies(t)
	for _, r := range routes() {
		c := b.signedIn(t, reviewer, memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview) // anew, for a session may only write so much
		c.url = k.url
		method, path, good, headers := request(r, b.project.ID)
		if good == "" {
			continue
		}
		for _, bad := range everywhere {
			got := c.do(method, path, bad.body, append(headers, bad.headers...)...)
			if got.status != bad.want || got.problem.Code != string(bad.code) {
				t.Errorf("%s with %s: %d %s", r.name(), bad.name, got.status, got.body)
			}
			got.unspoken(t, r.name()+" with "+bad.name)
		}
		for name, body := range spoiled(t, good) {
			got := c.do(method, path, body, headers...)
			// What may be left out may be missing, and where a revision is compared, others come first.
			passes := strings.HasPrefix(name, "no ") || strings.HasSuffix(name, "base_rev: -1") && got.status != http.StatusOK
			if got.status != http.StatusBadRequest && !passes {
				t.Errorf("%s with %s: %d %s, body %s", r.name(), name, got.status, got.body, body)
			}
			got.unspoken(t, r.name()+" with "+name)
		}
	}
	k.alive(t)
}

type badBody struct {
	name, body string
	want       int
	code       memory.Code
	headers    []string
}

// badBodies is wrong wherever a body is taken.
func badBodies(t *testing.T) []badBody {
	t.Helper()
	deep := func(open, shut string) string { return strings.Repeat(open, 9000) + "1" + strings.Repeat(shut, 9000) }
	all := []badBody{
		{name: "a form", body: "path=CANARY", want: 415, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, code: memory.CodeUnsupportedMedia},
		{name: "files of a form", body: "--x\r\n\r\nCANARY\r\n--x--", want: 415, headers: []string{"Content-Type", "multipart/form-data; boundary=x"}, code: memory.CodeUnsupportedMedia},
		{name: "JSON of another kind", body: "{}", want: 415, headers: []string{"Content-Type", "application/merge-patch+json"}, code: memory.CodeUnsupportedMedia},
		{name: "UTF-16", body: "{}", want: 415, headers: []string{"Content-Type", "application/json; charset=utf-16"}, code: memory.CodeUnsupportedMedia},
		{name: "XML", body: "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]><x>&y;</x>", want: 415, headers: []string{"Content-Type", "text/xml"}, code: memory.CodeUnsupportedMedia},
		{name: "br", body: "{}", want: 415, headers: encoding("br"), code: memory.CodeUnsupportedMedia},
		{name: "gzip, zstd", body: "{}", want: 415, headers: encoding("gzip, zstd"), code: memory.CodeUnsupportedMedia},
		{name: "gzip that is none", body: "{}", want: 400, headers: encoding("gzip"), code: memory.CodeInvalid},
		{name: "zstd that is none", body: "{}", want: 400, headers: encoding("zstd"), code: memory.CodeInvalid},
		{name: "half of a gzip", body: zipped(t, 1000)[:20], want: 400, headers: encoding("gzip"), code: memory.CodeInvalid},
		{name: "half of a zstd", body: zstandard(t, 1000, 0)[:10], want: 400, headers: encoding("zstd"), code: memory.CodeInvalid},
		{name: "a gzip of zeros", body: zipped(t, 1000), want: 400, headers: encoding("gzip"), code: memory.CodeInvalid},
		{name: "a bomb", body: zipped(t, 20<<20), want: 413, headers: encoding("gzip"), code: memory.CodeTooLarge},
		{name: "a bomb of zstd", body: zstandard(t, 20<<20, 0), want: 413, headers: encoding("zstd"), code: memory.CodeTooLarge},
		{name: "10 MB", body: `{"CANARY":"` + strings.Repeat("x", 10<<20) + `"}`, want: 413, code: memory.CodeTooLarge},
	}
	for name, body := range map[string]string{
		"a space": " ", "text": "CANARY", "null": "null", "true": "true", "a number": "1", "a string": `"CANARY"`, "a list": "[]", "a list of objects": `[{"CANARY":1}]`,
		"an open object": "{", "an open name": `{"CANARY`, "no value": `{"CANARY":}`, "a comma too many": `{"CANARY":1,}`, "single quotes": "{'CANARY':1}",
		"a comment": "{/*CANARY*/}", "NaN": `{"CANARY":NaN}`, "two values": "{}{}", "a value and text": "{}CANARY", "a byte order mark": "\ufeff{}",
		"an unknown name": `{"CANARY":1}`, "the name of a prototype": `{"__proto__":{"admin":true}}`, "an empty name": `{"":1}`, "a twin of an unknown name": `{"CANARY":1,"CANARY":2}`,
		"half a surrogate": `{"CANARY\ud800":1}`, "the other half": `{"\udc00":1}`, "halves in wrong order": `{"\udc00\ud800":1}`, "half an escape": `{"\u00`,
		"a byte of no text": "{\"CANARY\xff\":1}", "an overlong slash": "{\"\xc0\xaf\":1}", "a surrogate in bytes": "{\"\xed\xa0\x80\":1}", "NUL": "\x00", "NUL after it": "{}\x00",
		"a control character": "{\"a\x01\":1}", "many lists": deep("[", "]"), "many objects": deep(`{"a":`, "}"), "open lists": strings.Repeat("[", 60_000),
		"a number of 60,000 digits": `{"CANARY":` + strings.Repeat("9", 60_000) + "}", "a number of no end": `{"CANARY":1e999999999}`,
		"many values": `{"CANARY":[` + strings.Repeat("1,", 20_000) + "1]}",
	} {
		all = append(all, badBody{name: name, body: body, want: http.StatusBadRequest, code: memory.CodeInvalid})
	}
	return all
}

// spoiled returns a good body with each of its values, at any depth, replaced
// by what it must not be, given twice, misspelt or left out.
func spoiled(t *testing.T, good string) map[string]string {
	t.Helper()
	bodies := map[string]string{}
	var root any
	must(t, json.Unmarshal([]byte(good), &root))
	object, ok := root.(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", good)
	}
	spoil("", object, func(s string) string { return s }, bodies)
	return bodies
}

func spoil(at string, object map[string]any, within func(string) string, bodies map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		place, value := at+name, text(object[name])
		others := maps.Clone(object)
		delete(others, name)
		rest := strings.TrimPrefix(text(others), "{")
		if rest != "}" {
			rest = "," + rest
		}
		with := func(member string) string { return within("{" + member + rest) }
		for _, wrong := range wrongFor(object[name]) {
			bodies[fmt.Sprintf("%s: %.30s", place, wrong)] = with(`"` + name + `":` + wrong)
		}
		bodies[place+" twice"] = with(`"` + name + `":` + value + `,"` + name + `":` + value)
		bodies[place+" in capitals"] = with(`"` + strings.ToUpper(name) + `":` + value)
		bodies[place+" as escapes twice"] = with(fmt.Sprintf(`"\u%04x%s":%s,"%s":%s`, name[0], name[1:], value, name, value))
		bodies["no "+place] = within(text(others))
		bodies[place+" and another"] = with(`"` + name + `":` + value + `,"CANARY":1`)
		if list, ok := object[name].([]any); ok {
			if inner, ok := list[0].(map[string]any); ok {
				spoil(place+".", inner, func(s string) string { return with(`"` + name + `":[` + s + `]`) }, bodies)
			}
		}
	}
}

// wrongFor is what cannot stand where a value like this does.
func wrongFor(value any) []string {
	all := []string{"null", "{}", `{"CANARY":1}`, "true", "[null]", `["CANARY"]`, "[[[[1]]]]"}
	switch value.(type) {
	case string:
		return append(all, "[]", "0", "1e400", `"CANARY\ud800"`, "\"CANARY\xff\"")
	case float64:
		return append(all, "[]", `"1"`, "1.5", "1e400", "-1", "9223372036854775808", "99999999999999999999999999", `"CANARY"`, "-9223372036854775809")
	}
	return append(all, "0", `"CANARY"`, "[1]", "[{}]")
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return string(b)
}
