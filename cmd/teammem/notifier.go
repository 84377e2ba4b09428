package main

import (
	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// notifier tells this process's clients of a change, and other processes.
type notifier struct {
	*api.Hub

	others *store.Hints
}

func (n notifier) Notify(project memory.ProjectID, at memory.Cursor) {
	n.Hub.Notify(project, at)
	n.others.Notify(project, at)
}
