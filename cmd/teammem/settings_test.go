package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The reference is what the table says, and the table has every variable that
// the program asks for.
func TestSettings_Reference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "environment.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != newTestApp(t).reference() {
		t.Error("docs/environment.md is not what teammem environment prints: run make generate")
	}
	known := settingVariables()
	for _, v := range otherVariables() {
		known = append(known, v.name)
	}
	names := regexp.MustCompile(`TEAMMEM_[A-Z0-9_]+`)
	err = fs.WalkDir(os.DirFS(filepath.Join("..", "..")), ".", func(name string, d fs.DirEntry, err error) error {
		if name == "bench" {
			return fs.SkipDir // programs that measure, with variables of their own
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(os.DirFS(filepath.Join("..", "..")), name)
		for _, found := range names.FindAllString(string(source), -1) {
			if !slices.Contains(known, found) && !strings.HasPrefix(found, "TEAMMEM_TEST_") {
				t.Errorf("%s: %s is not in the table", name, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What stands in for a flag has the flag's name, so that nobody has to look it up.
func TestSetting_Names(t *testing.T) {
	t.Parallel()
	for _, s := range settings() {
		if s.takes == "" || s.usage == "" || strings.HasSuffix(s.usage, ".") {
			t.Errorf("--%s explains itself badly", s.flag)
		}
	}
	if s := (setting{flag: "tls-cert"}); s.variable() != "TEAMMEM_TLS_CERT" || s.fileVariable() != "TEAMMEM_TLS_CERT_FILE" {
		t.Errorf("--tls-cert is %s", s.variable())
	}
}
