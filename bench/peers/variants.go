package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// profileEnv names, for the variant that writes profiles, the folder to write
// them to.
const profileEnv = "TEAMMEM_BENCH_PROFILES"

// profiler is the source that the profiled variant has in addition.
//
//go:embed testdata/profiler.go.txt
var profiler string

// patch replaces one text of one source file; the text has to be there, once.
type patch struct{ file, old, new string }

// variant is a program built from the source with patches laid over it.
type variant struct {
	name    string
	patches []patch
	added   map[string]string // files, with what is in them
}

// variants lists the programs that are measured: as it ships, without the rules
// for secrets and risks in texts, and with profiles.
func variants() []variant {
	return []variant{
		{name: "teammem"},
		{name: "unscanned", patches: []patch{{
			"sanitize/secrets/scanner.go",
			"func New() (*Scanner, error) {\n", "func New() (*Scanner, error) {\n\treturn &Scanner{name: RuleSet}, nil\n}\n\nfunc scanning() (*Scanner, error) {\n",
		}, {
			"sanitize/secrets/scanner.go",
			"func (s *Scanner) ScanKeyed(ctx context.Context, text string, key []byte) ([]sanitize.Finding, error) {\n",
			"func (s *Scanner) ScanKeyed(context.Context, string, []byte) ([]sanitize.Finding, error) { return nil, nil }\n\n" +
				"func (s *Scanner) scanKeyed(ctx context.Context, text string, key []byte) ([]sanitize.Finding, error) {\n",
		}, {
			"sanitize/risk.go",
			"func (rules *RiskRules) Risks(text string) []Risk {\n",
			"func (rules *RiskRules) Risks(string) []Risk { return nil }\n\nfunc (rules *RiskRules) risks(text string) []Risk {\n",
		}}},
		{
			name:    "profiled",
			patches: []patch{{"cmd/teammem/main.go", "os.Exit(app.run(ctx, os.Args[1:]))", "os.Exit(profiled(func() int { return app.run(ctx, os.Args[1:]) }))"}},
			added:   map[string]string{"cmd/teammem/profiler.go": profiler},
		},
	}
}

// buildVariants builds the programs into a folder.
func buildVariants(ctx context.Context, bin string) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the source: %w", err)
	}
	root := strings.TrimSpace(string(out))
	for _, v := range variants() {
		if err := v.build(ctx, root, bin); err != nil {
			return fmt.Errorf("build %s: %w", v.name, err)
		}
	}
	return nil
}

func (v variant) build(ctx context.Context, root, bin string) error {
	overlay, err := v.overlay(root, filepath.Join(bin, v.name+".source"))
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", filepath.Join(bin, v.name), "./cmd/teammem")
	c.Dir, c.Env, c.Stderr = root, append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	return c.Run()
}

// overlay writes the patched files into a folder, and the file for the go
// command that says what they stand for.
func (v variant) overlay(root, dir string) (string, error) {
	patched := map[string]string{}
	for name, text := range v.added {
		patched[name] = text
	}
	for _, p := range v.patches {
		text, have := patched[p.file]
		if !have {
			b, err := os.ReadFile(filepath.Join(root, p.file))
			if err != nil {
				return "", err
			}
			text = string(b)
		}
		if strings.Count(text, p.old) != 1 {
			return "", fmt.Errorf("%s is no longer what the patch was made for", p.file)
		}
		patched[p.file] = strings.Replace(text, p.old, p.new, 1)
	}
	replace := map[string]string{}
	errs := os.MkdirAll(dir, 0o700)
	for name, text := range patched {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		replace[filepath.Join(root, name)] = file
		errs = errors.Join(errs, os.WriteFile(file, []byte(text), 0o600))
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	file := filepath.Join(dir, "overlay.json")
	return file, errors.Join(errs, err, os.WriteFile(file, b, 0o600))
}
