package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// How much of a list that can be long is named for people. The rest is counted,
// and --json names all.
const (
	maxLines  = 20  // of what a run tells by itself
	maxListed = 100 // of what somebody asked to be listed
)

// few has the first items of each sort named, and counts the rest.
type few struct {
	most int
	seen map[string]int
}

func newFew(most int) *few { return &few{most, map[string]int{}} }

// take counts an item, and reports whether it is one of those that are named.
func (f *few) take(sort string) bool {
	f.seen[sort]++
	return f.seen[sort] <= f.most
}

// more is how many of a sort are not named.
func (f *few) more(sort string) int { return max(0, f.seen[sort]-f.most) }

// done begins a sort anew.
func (f *few) done(sort string) { delete(f.seen, sort) }

// eachPage prints a list that a server gives page by page. Of one for people it
// asks for no more than it names.
func eachPage[T any](a *app, asJSON bool, page func(cursor string) ([]T, string, error), print func(T) error) error {
	named := newFew(maxListed)
	for cursor := ""; ; {
		items, next, err := page(cursor)
		if err != nil {
			return err
		}
		for _, item := range items {
			if !asJSON && !named.take("") {
				_, err := fmt.Fprintln(a.stdout, "… and more: --json lists all")
				return err
			}
			if err := print(item); err != nil {
				return err
			}
		}
		if cursor = next; next == "" || len(items) == 0 {
			return nil
		}
	}
}

// rest counts on stdout, sort by sort, what a list does not name.
func (a *app) rest(f *few) error {
	for _, sort := range slices.Sorted(maps.Keys(f.seen)) {
		if n := f.more(sort); n > 0 {
			if _, err := fmt.Fprintln(a.stdout, strings.TrimRight(fmt.Sprintf("… and %d more %s", n, sort), " ")+": --json lists all"); err != nil {
				return err
			}
		}
	}
	return nil
}
