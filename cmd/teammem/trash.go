package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
)

func (a *app) newTrashCommand() *cobra.Command {
	c := a.newTrashListCommand("trash [DIR]")
	c.Short = "List what was replaced or removed in team/"
	c.AddCommand(a.newTrashListCommand("list [DIR]"))
	return c
}

func (a *app) newTrashListCommand(use string) *cobra.Command {
	var o keptOptions
	c := &cobra.Command{
		Use:   use,
		Short: "List the trash",
		Long: fmt.Sprintf(`List the texts that were replaced or removed in team/ of a linked folder (default:
the current one), oldest first: an ID, when and on which device, the entry, and
the file that the text is kept in. They are kept for %d days; "teammem restore ID"
puts one back.
Exit 0: they are on stdout; 1: the trash cannot be read; 2: the folder is not
linked.`, client.TrashDays),
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, err := a.printKept("trash", folderArg(args), o, client.Dirs.Trash)
			return err
		},
	}
	o.addFlags(c)
	return c
}
