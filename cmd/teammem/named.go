package main

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// named is a file in team/ that a person has named, as they do: by where it is,
// or by its path below team/, with that in front or without.
type named struct {
	dirs  client.Dirs
	link  client.Link
	path  memory.Path
	entry client.KnownEntry // of the last sync; no EntryID: the server had none
}

// findFile says which file is meant. Of a folder that lies below team/ itself it
// needs no link.
func (a *app) findFile(folder, name string) (named, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return named{}, err
	}
	l, keys, err := a.keysOf(dirs, folder, name)
	if err != nil {
		return named{}, err
	}
	known, err := dirs.Known(l)
	if err != nil {
		return named{}, err
	}
	for _, key := range keys {
		at := slices.IndexFunc(known.Entries, func(e client.KnownEntry) bool { return e.Path.String() == key || e.Disk == key })
		if at >= 0 {
			return named{dirs, l, known.Entries[at].Path, known.Entries[at]}, nil
		}
	}
	p, err := pathOf(keys[len(keys)-1])
	return named{dirs: dirs, link: l, path: p}, err
}

// keysOf returns the link, and what the file may be called below team/.
func (a *app) keysOf(dirs client.Dirs, folder, name string) (client.Link, []string, error) {
	links, err := dirs.Links()
	if err != nil {
		return client.Link{}, nil, err
	}
	here, unlinked := claude.LinkOf(dirs, folder, a.getenv)
	if unlinked == nil {
		links = append([]client.Link{here}, links...) // two folders may share a memory
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return client.Link{}, nil, fmt.Errorf("look up %s: %w", shown(name), err)
	}
	for _, l := range links {
		if key, ok := below(filepath.Join(l.MemoryReal, tree.FolderName), realPath(abs)); ok {
			return l, []string{key}, nil
		}
	}
	key := path.Clean(filepath.ToSlash(name))
	switch {
	case unlinked != nil:
		return client.Link{}, nil, unlinked
	case path.IsAbs(key), filepath.IsAbs(name), key == "..", strings.HasPrefix(key, "../"):
		return client.Link{}, nil, memory.Invalid("file", fmt.Sprintf("%s is not in team/ of a linked folder", shown(name)))
	}
	if inner, ok := strings.CutPrefix(key, tree.FolderName+"/"); ok {
		return here, []string{key, inner}, nil
	}
	return here, []string{key}, nil
}

// realPath resolves the links on the way to a file, which need not be there.
func realPath(file string) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		return filepath.Join(real, filepath.Base(file))
	}
	return file
}

// below is the rest of a path below a folder, slash-separated.
func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	rel = filepath.ToSlash(rel)
	return rel, err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, "../")
}

func pathOf(key string) (memory.Path, error) {
	p, err := memory.ParsePath(key)
	if err != nil {
		if served, err := memory.ParseServedPath(key); err == nil {
			return served, nil
		}
	}
	return p, err
}

// served fails unless the server had the entry at the last sync.
func (n named) served() error {
	if n.entry.EntryID != "" {
		return nil
	}
	return &memory.Error{
		Code: memory.CodeNotFound, Message: fmt.Sprintf("the team has no entry %s", shown(n.path.String())), Hint: "what is new on the server is known after teammem sync",
	}
}

// findServed finds a file that the team has, and connects with the server that
// has it.
func (a *app) findServed(folder, name string) (named, *client.Server, error) {
	n, err := a.findFile(folder, name)
	if err != nil {
		return n, nil, err
	}
	if err := n.served(); err != nil {
		return n, nil, err
	}
	server, err := a.serverFor(n)
	return n, server, err
}

// serverFor connects with the server that has the file.
func (a *app) serverFor(n named) (*client.Server, error) {
	login, err := n.dirs.Login(n.link.Server)
	if err != nil {
		return nil, err
	}
	login.Instance = n.link.Instance
	return a.serverOf(n.dirs, login)
}

// cutRev takes FILE@REV apart; 0 stands for the newest revision.
func cutRev(name string) (file string, rev int64) {
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		return name, 0
	}
	rev, err := strconv.ParseInt(name[at+1:], 10, 64)
	if err != nil || rev <= 0 {
		return name, 0
	}
	return name[:at], rev
}
