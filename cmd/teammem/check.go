package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

func (a *app) newCheckCommand() *cobra.Command {
	var asJSON bool
	var key string
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Tell whether files, or a path key, may be shared; needs no server",
		Long: `Take files through the same checks as a sync: the name, size, encoding and
secrets. In a linked tree its key is that below team/, its folders and neighbours
count, and what the project allows passes, as far as the last sync learned of it;
elsewhere its own name does. With --path only a path key is judged. A clean file
may have hints on how teammates would get more out of it, and places that a
reviewer will look at.
Exit 0: clean; 7: refused; 1: a file cannot be read; 2: a file is not there.`,
		Example: "  teammem check notes/*.md\n  teammem check --path 'testing/db.md'",
		RunE: func(c *cobra.Command, args []string) error {
			byKey := c.Flags().Changed("path")
			if byKey == (len(args) > 0) {
				return usageError{errors.New("name files, or one key with --path"), c.CommandPath()}
			}
			if byKey {
				return a.checkKey(key, asJSON)
			}
			return a.checkFiles(c.Context(), args, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON lines")
	c.Flags().StringVar(&key, "path", "", "judge this path key alone")
	return c
}

// checkLine is the verdict on one file or key.
type checkLine struct {
	File     string        `json:"file,omitzero"`
	Path     string        `json:"path,omitzero"`
	Verdict  string        `json:"verdict"`
	Code     string        `json:"code,omitzero"`
	Layer    string        `json:"layer,omitzero"`
	Position *int          `json:"position,omitzero"`
	Message  string        `json:"message,omitzero"`
	Hint     string        `json:"hint,omitzero"`
	Findings []findingLine `json:"findings,omitzero"`
	Hints    []hintLine    `json:"hints,omitzero"` // of a clean file
	Risks    []riskLine    `json:"risks,omitzero"` // of a clean file
}

func (a *app) checkKey(key string, asJSON bool) error {
	path, err := memory.ParsePath(key)
	line := checkLine{Path: path.String(), Verdict: "clean"}
	if err != nil {
		line = refusedCheck(err)
		line.Path = fmt.Sprintf("%+q", key)
	}
	return errors.Join(a.printCheck(line, asJSON), checkOutcome(err != nil))
}

func (a *app) checkFiles(ctx context.Context, files []string, asJSON bool) error {
	scanner, err := lazyScanner()()
	if err != nil {
		return err
	}
	trees, err := a.treeNames()
	if err != nil {
		return err
	}
	codes, rules, named := []int{exitOK}, memory.NewRiskRules(), newFew(maxListed)
	for _, file := range files {
		line, err := verdictOn(ctx, trees, scanner, rules, file)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // the others are judged all the same
			codes = append(codes, unreadable(err))
			if asJSON || named.take("that could not be read") {
				a.tell("%v", err)
			}
			continue
		case line.Verdict == "refused":
			codes = append(codes, exitRefused)
		}
		if !asJSON && !named.take(line.Verdict) {
			continue
		}
		if err := a.printCheck(line, asJSON); err != nil {
			return err
		}
	}
	if err := a.rest(named); err != nil {
		return err
	}
	return finalError(nil, mostUrgent(codes...))
}

// verdictOn is what check says of a file. Its error is that the file could not be
// judged.
func verdictOn(
	ctx context.Context, trees *client.TreeNames, scanner memory.Scanner, rules memory.RiskRules, file string,
) (checkLine, error) {
	line := checkLine{Verdict: "clean"}
	judged, err := checkFile(ctx, trees, scanner, rules, file)
	if _, verdict := errors.AsType[*memory.Error](err); err != nil && !verdict {
		return line, err
	}
	if err != nil {
		line = refusedCheck(err)
	}
	line.File, line.Path, line.Hints, line.Risks = file, judged.Path, judged.Hints, judged.Risks
	return line, nil
}

// unreadable is the exit code for a file that could not be judged.
func unreadable(err error) int {
	if errors.Is(err, fs.ErrNotExist) {
		return exitUsage
	}
	return exitRetry
}

// treeNames are those of all linked trees; of none, for somebody without a home.
func (a *app) treeNames() (*client.TreeNames, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return &client.TreeNames{}, nil //nolint:nilerr // nothing can be linked then
	}
	return dirs.TreeNames(tree.Options{Clock: a.now, Home: a.getenv("HOME")})
}

// checkFile judges a file where it is in a linked tree; elsewhere by its own
// name, since it is not known where below team/ it would go. One that is clean
// may have hints and risks. The path is that in a tree, in characters that can be
// shown.
func checkFile(
	ctx context.Context, trees *client.TreeNames, scanner memory.Scanner, rules memory.RiskRules, file string,
) (l checkLine, err error) {
	key, path, err := trees.Judge(ctx, file)
	l.Path = shown(key)
	if err != nil {
		return l, err
	}
	if key == "" {
		if path, err = memory.ParsePath(filepath.Base(file)); err != nil {
			return checkLine{}, err
		}
	}
	clean, written, err := screenFile(ctx, memory.Allowing(scanner, path, trees.Exceptions(file)), path, file)
	if err != nil {
		return l, err
	}
	l.Hints, l.Risks = hintsOf(path, clean.Text(), written), riskLines(rules.Risks(path, clean))
	return l, nil
}

// screenFile takes the text of a file through the gate, and tells when it was
// written. Only an ordinary file is read: a FIFO or a terminal may never end.
func screenFile(ctx context.Context, scanner memory.Scanner, path memory.Path, file string) (memory.Clean, time.Time, error) {
	content, info, err := readOrdinary(file)
	if err != nil {
		return memory.Clean{}, time.Time{}, fmt.Errorf("check %s: %w", shown(file), withoutName(err))
	}
	clean, err := memory.Screen(ctx, scanner, path, content)
	if err != nil {
		return memory.Clean{}, time.Time{}, err
	}
	return clean, info.ModTime(), nil
}

var errNotOrdinary = errors.New("this is not an ordinary file")

// readOrdinary reads one byte more than an entry may have, so that a larger
// file is known as such.
func readOrdinary(file string) ([]byte, fs.FileInfo, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotOrdinary
	}
	content, err := io.ReadAll(io.LimitReader(f, memory.MaxEntryBytes+1))
	return content, info, err
}

// hintsOf returns what could be better about a clean file. Of an index, what
// it lists is not known here.
func hintsOf(path memory.Path, text string, written time.Time) []hintLine {
	lints := memory.Lints(path, text, written)
	if path.IsIndex() {
		lints = slices.DeleteFunc(memory.LintIndex(text, nil), func(l memory.Lint) bool { return l.Rule == memory.LintDangling })
	}
	var hints []hintLine
	for _, l := range lints {
		hints = append(hints, hintLine{Rule: l.Rule, Line: l.Line, Message: l.Message})
	}
	return hints
}

// withoutName takes the file's name out of an error, where it is as it came.
func withoutName(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func refusedCheck(err error) checkLine {
	e, _ := errors.AsType[*memory.Error](err)
	line := checkLine{Verdict: "refused", Code: string(e.Code), Layer: e.Layer, Message: e.Message, Hint: e.Hint}
	if e.Layer != "" {
		line.Position = &e.Position
	}
	for _, f := range e.Findings {
		line.Findings = append(line.Findings, findingLine{f.Rule, string(f.Severity), f.Line, f.Column})
	}
	return line
}

func (a *app) printCheck(l checkLine, asJSON bool) error {
	if asJSON {
		return a.printJSON(l)
	}
	name := l.Path
	if l.File != "" {
		name = shown(l.File)
	}
	if l.Verdict == "clean" {
		text := fmt.Sprintf("clean    %s\n", name)
		for _, h := range l.Hints {
			text += fmt.Sprintf("hint     %s: %s: %s\n", at(name, h.Line), h.Rule, h.Message)
		}
		for _, r := range l.Risks {
			text += r.under(name)
		}
		_, err := io.WriteString(a.stdout, text)
		return err
	}
	reason := l.Code
	if l.Layer != "" {
		reason = fmt.Sprintf("%s, %s at byte %d", l.Code, l.Layer, *l.Position)
		if l.File != "" && l.Path != "" { // in which the byte is
			reason += " of " + l.Path
		}
	}
	_, err := fmt.Fprintf(a.stdout, "refused  %s: %s: %s\n         %s\n", name, reason, l.Message, l.Hint)
	return err
}

// at names a line of a file; 0 is the file as a whole.
func at(name string, line int) string {
	if line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, line)
}

func checkOutcome(refused bool) error {
	if refused {
		return outcome(exitRefused)
	}
	return nil
}
