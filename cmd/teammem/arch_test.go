package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/teammem/teammem"
	root   = "../.."
)

// edges is the import direction of the whole program: each package of ours, and which others of ours it may import.
// A package that is missing here fails the test, so a new one is a decision that somebody writes down.
// The reasons are in docs/architecture.md.
var edges = map[string][]string{
	"sanitize":         {},
	"sanitize/secrets": {"sanitize"},
	"memory":           {"sanitize"},
	"sync":             {"memory"},
	"recall":           {"memory"},
	"migrations":       {},
	"store":            {"memory", "migrations", "store/backup"},
	"store/backup":     {},
	"store/embedded":   {},
	"auth":             {"memory"},
	"api":              {"memory", "auth", "api/wire", "internal/serving"},
	"api/wire":         {"memory"},
	"web":              {"memory", "auth", "internal/serving", "web/static", "web/view"},
	"web/e2e":          {},
	"web/static":       {},
	"web/view":         {"web/view/diff", "web/view/foreign"},
	"web/view/diff":    {},
	"web/view/foreign": {"sanitize"},
	"client":           {"memory", "sync", "sanitize", "api/wire", "client/tree"},
	"client/tree":      {"memory", "sanitize"},
	"client/adopt":     {"client", "client/tree", "memory", "sanitize", "sync"},
	"client/claude":    {"client", "client/claude/settings", "memory", "recall"},
	"client/mcp":       {"client", "memory", "recall"},
	"client/watch":     {"client", "client/tree", "memory"},
	"plugins":          {},

	"client/claude/settings": {},
	"client/claude/hook":     {"client", "client/claude", "client/tree", "memory", "sync"},
	"client/claude/install":  {"client", "client/claude/hook", "client/claude/settings", "memory", "plugins"},

	"internal/golden":         {},
	"internal/serving":        {"memory", "auth"},
	"internal/testdb":         {"migrations", "store"},
	"internal/testdb/cluster": {"internal/testdb", "internal/testdb/scratch", "store/embedded"},
	"internal/testdb/scratch": {},
	"internal/testdisk":       {},
	"internal/testscan":       {"sanitize"},
	"internal/promises":       {},
	"internal/promises/write": {"internal/promises"},
	"bench":                   {},
	"bench/peers":             {},

	"cmd/teammem": {
		"api", "api/wire", "auth", "client", "client/adopt", "client/claude", "client/claude/hook", "client/claude/install",
		"client/mcp", "client/tree", "client/watch", "internal/serving", "memory", "migrations", "recall", "sanitize", "sanitize/secrets", "store", "store/backup", "store/embedded", "sync", "web", "web/static",
	},
}

const (
	echo = "github.com/labstack/echo"
	pgx  = "github.com/jackc/pgx"
)

// pure holds what the domain and the reconciliation must not know: transports, databases, files, encodings.
var pure = []string{"net/http", "database/sql", "os", "encoding/json", echo, pgx, "github.com/a-h/templ"}

// foreign lists imports from outside the module that a package must not have; each name covers what lies below it.
var foreign = map[string][]string{
	"memory": pure,
	"sync":   append([]string{"sync"}, pure...),
	"store":  {"net/http", echo},
	"api":    {pgx, "database/sql"},
	"web":    {pgx, "database/sql"},
	"client": {echo, pgx, "database/sql"},

	"client/tree":  {"net/http", echo, pgx, "database/sql"},
	"client/adopt": {"net/http", echo, pgx, "database/sql"},
}

func TestArch_Imports(t *testing.T) {
	t.Parallel()
	// Files for one system only import things too, so the rules hold on each system we build for.
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			for _, p := range listPackages(t, goos) {
				checkImports(t, p)
			}
		})
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T, goos string) []goPackage {
	t.Helper()
	// With -e a package that does not build is judged as well: this test speaks of directions only.
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS="+goos)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}

	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatalf("decode go list: %v", err)
		}
		packages = append(packages, p)
	}
}

func checkImports(t *testing.T, p goPackage) {
	t.Helper()
	name := strings.TrimPrefix(p.ImportPath, module+"/")
	allowed, known := edges[name]
	if !known {
		t.Errorf("package %s is not in the table of allowed imports", name)
		return
	}
	for _, imported := range p.Imports {
		if ours, found := strings.CutPrefix(imported, module+"/"); found {
			if !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s; it may import only %v of ours", name, ours, allowed)
			}
			continue
		}
		for _, banned := range foreign[name] {
			if imported == banned || strings.HasPrefix(imported, banned+"/") {
				t.Errorf("%s imports %s, which it must not know", name, imported)
			}
		}
	}
}

// A doc.go that says in which file something is names files that there are.
func TestArch_DocNamesFiles(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`[a-z0-9_]+\.go\b`)
	for p := range edges {
		dir := filepath.Join(root, filepath.FromSlash(p))
		doc, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range name.FindAllString(string(doc), -1) {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
				t.Errorf("doc.go of %s names %s: %v", p, file, err)
			}
		}
	}
}

// Reading every source file here also ties the cached result of this package to all of them: the test cache does not
// see what `go list` reads.
func TestArch_StoredPathCallers(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		uses, err := usesStoredPath(name)
		if err != nil {
			return err
		}
		if uses && !mayCallStoredPath(name) {
			t.Errorf("%s uses memory.StoredPath, which accepts names unchecked; parse the name with memory.ParsePath", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mayCallStoredPath allows the two places that read back what was checked when it was written: rows of the database
// and of the client's index.
func mayCallStoredPath(name string) bool {
	dir, file := path.Split(name)
	return dir == "store/" || dir == "client/" && strings.HasPrefix(file, "index")
}

// usesStoredPath reports whether a file mentions memory.StoredPath, under whatever name it imports memory. Inside
// memory itself only the declaration is free.
func usesStoredPath(name string) (bool, error) {
	const wanted = "StoredPath"
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	alias := memoryAlias(file)
	bare := alias == "." || path.Dir(name) == "memory"

	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if bare && n.Recv == nil && n.Name.Name == wanted {
				return false
			}
		case *ast.SelectorExpr:
			x, isIdent := n.X.(*ast.Ident)
			found = found || isIdent && x.Name == alias && n.Sel.Name == wanted
		case *ast.Ident:
			found = found || bare && n.Name == wanted
		}
		return true
	})
	return found, nil
}

// memoryAlias returns the name under which a file imports package memory, or "" if it does not.
func memoryAlias(file *ast.File) string {
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil || imported != module+"/memory" {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return "memory"
	}
	return ""
}
