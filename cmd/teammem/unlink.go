package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/client/tree"
)

func (a *app) newUnlinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unlink [DIR]",
		Short: "Stop mirroring a linked folder; no file is touched",
		Long: `Stop mirroring a linked folder (default: the current one). No file is touched, and
nothing is told to the server.
Exit 0: done; 1: the settings could not be written; 2: the folder is not linked.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dirs, err := client.UserDirs(a.getenv)
			if err != nil {
				return err
			}
			l, err := claude.LinkOf(dirs, folderArg(args), a.getenv)
			if err != nil {
				return err
			}
			if err := dirs.RemoveLink(l); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "unlinked %s from %s; %s stays as it is\n", l.Folder, l.Slug,
				filepath.Join(l.MemoryDir, tree.FolderName))
			return err
		},
	}
}
