package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
)

func (a *app) newCheckCommand() *cobra.Command {
	var asJSON bool
	var key string
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Tell whether files, or a path key, may be shared; needs no server",
		Long: `Take files through the same checks as a sync: the name, size, encoding and
secrets. With --path only a path key is judged. Exit 0: clean; 7: refused;
2: a file is not there.`,
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
	codes := []int{exitOK}
	for _, file := range files {
		line := checkLine{Verdict: "clean"}
		err := checkFile(ctx, scanner, file)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, verdict := errors.AsType[*memory.Error](err); err != nil && !verdict {
			a.tell("%v", err) // the others are judged all the same
			codes = append(codes, unreadable(err))
			continue
		}
		if err != nil {
			line = refusedCheck(err)
			codes = append(codes, exitRefused)
		}
		line.File = file
		if err := a.printCheck(line, asJSON); err != nil {
			return err
		}
	}
	return finalError(nil, mostUrgent(codes...))
}

// unreadable is the exit code for a file that could not be judged.
func unreadable(err error) int {
	if errors.Is(err, fs.ErrNotExist) {
		return exitUsage
	}
	return exitRetry
}

// checkFile judges a file by its own name, since it is not known where below
// team/ it would go.
func checkFile(ctx context.Context, scanner memory.Scanner, file string) error {
	path, err := memory.ParsePath(filepath.Base(file))
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("check %s: %w", shown(file), withoutName(err))
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, memory.MaxEntryBytes+1))
	if err != nil {
		return fmt.Errorf("check %s: %w", shown(file), withoutName(err))
	}
	_, err = memory.Screen(ctx, scanner, path, content)
	return err
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
		_, err := fmt.Fprintf(a.stdout, "clean    %s\n", name)
		return err
	}
	reason := l.Code
	if l.Layer != "" {
		reason = fmt.Sprintf("%s, %s at byte %d", l.Code, l.Layer, *l.Position)
	}
	_, err := fmt.Fprintf(a.stdout, "refused  %s: %s: %s\n         %s\n", name, reason, l.Message, l.Hint)
	return err
}

func checkOutcome(refused bool) error {
	if refused {
		return outcome(exitRefused)
	}
	return nil
}
