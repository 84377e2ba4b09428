package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// plant writes a tree of notes: Markdown with front matter, a median of about
// 1.2 KB and a long tail, in folders of a hundred once it has grown. The same
// number of files is always the same tree.
func plant(dir string, files int) error {
	r := rand.New(rand.NewPCG(7, uint64(files)))
	kinds := []string{"user", "feedback", "project", "reference"}
	for i := range files {
		folder := dir
		if files > 200 {
			folder = filepath.Join(dir, fmt.Sprintf("topic-%03d", i/100))
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%05d", phrase(r, 3, "-"), i)
		var b strings.Builder
		fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\ntype: %s\n---\n\n", name, phrase(r, 9, " "), kinds[i%len(kinds)])
		size := int(min(20000, max(200, 1190*math.Exp(0.67*r.NormFloat64()))))
		for b.Len() < size {
			if r.IntN(5) == 0 {
				b.WriteString("- ")
			}
			b.WriteString(phrase(r, 6+r.IntN(9), " ") + ".\n")
		}
		if err := os.WriteFile(filepath.Join(folder, name+".md"), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// phrase strings words together. There are so many of them, of so many lengths,
// that the text packs about as well as prose.
func phrase(r *rand.Rand, words int, between string) string {
	parts := make([]string, words)
	for i := range parts {
		// Few words are common and most are rare, as in any text.
		w := rand.New(rand.NewPCG(uint64(4000*math.Pow(r.Float64(), 3)), 1))
		var word strings.Builder
		for range 1 + w.IntN(4) {
			word.WriteByte("bcdfghklmnprstvw"[w.IntN(16)])
			word.WriteString([]string{"a", "e", "i", "o", "u", "er", "an", "st"}[w.IntN(8)])
		}
		parts[i] = word.String()
	}
	return strings.Join(parts, between)
}

// notes lists the files of a replica that are shared, by their path below it.
func notes(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".md"):
			below, err := filepath.Rel(dir, path)
			found = append(found, below)
			return err
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

// edit adds a line to one file of the replica.
func edit(dir string, run int) error {
	files, err := notes(dir)
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("nothing to edit"))
	}
	f, err := os.OpenFile(filepath.Join(dir, files[(run*37+11)%len(files)]), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "edit %d at %d\n", run, time.Now().UnixNano())
	return errors.Join(err, f.Close())
}

// compare tells whether the replicas have the same files with the same bytes.
func compare(p interface{ replicas() (a, b string) }) error {
	a, b := p.replicas()
	inA, err := notes(a)
	inB, berr := notes(b)
	if err := errors.Join(err, berr); err != nil {
		return err
	}
	if !slices.Equal(inA, inB) {
		return fmt.Errorf("the replicas have %d and %d files, or other ones", len(inA), len(inB))
	}
	for _, name := range inA {
		x, err := os.ReadFile(filepath.Join(a, name))
		y, yerr := os.ReadFile(filepath.Join(b, name))
		if err := errors.Join(err, yerr); err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("the replicas differ in %s", name)
		}
	}
	return nil
}
