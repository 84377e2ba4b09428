package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

func (a *app) newDevicesCommand() *cobra.Command {
	var address string
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the computers on which you are logged in",
		Long: `List your computers as a server knows them, newest first: when each was seen last,
and which were ended. End one that you lost with "teammem devices revoke ID".
Exit 0: they are on stdout; 2: you are logged in to several servers; 6: not
logged in, or the login has ended; 8: the server cannot be reached.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runDevices(c.Context(), address, asJSON) },
	}
	c.PersistentFlags().StringVar(&address, "server", "", "URL of the server, if you are logged in to several")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each")
	c.AddCommand(a.newDevicesRevokeCommand(&address))
	return c
}

func (a *app) newDevicesRevokeCommand(address *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "End the login of one of your computers",
		Long: `End the login of one of your computers, wherever it is. Its tokens are good for
nothing from then on; what it has already received stays there.
Exit 0: ended; 2: you have no such computer; 6: not logged in, or not allowed;
8: the server cannot be reached.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			server, _, err := a.serverAt(*address)
			if err != nil {
				return err
			}
			if err := server.EndDevice(c.Context(), memory.DeviceID(args[0])); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "ended %s\n", inOneLine(args[0]))
			return err
		},
	}
}

// serverAt prepares to ask the server of a login.
func (a *app) serverAt(address string) (*client.Server, client.Login, error) {
	var named []string
	if address != "" {
		named = []string{address}
	}
	dirs, login, err := a.loginOf(named)
	if err != nil {
		return nil, login, err
	}
	server, err := a.serverOf(dirs, login)
	return server, login, err
}

// deviceLine is a computer in --json.
type deviceLine struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	OS        string    `json:"os,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	LastSeen  time.Time `json:"last_seen_at,omitzero"`
	RevokedAt time.Time `json:"revoked_at,omitzero"`
	Reason    string    `json:"revoked_for,omitzero"`
	Current   bool      `json:"current"`
}

func (a *app) runDevices(ctx context.Context, address string, asJSON bool) error {
	server, login, err := a.serverAt(address)
	if err != nil {
		return err
	}
	return eachPage(a, asJSON, func(cursor string) ([]memory.Device, string, error) { return server.Devices(ctx, cursor) },
		func(d memory.Device) error { return a.printDevice(d, d.ID == login.Device, asJSON) })
}

func (a *app) printDevice(d memory.Device, current, asJSON bool) error {
	if asJSON {
		return a.printJSON(deviceLine{string(d.ID), d.Name, d.OS, d.CreatedAt, d.LastSeen, d.RevokedAt, string(d.RevokedFor), current})
	}
	words := []string{string(d.ID), shown(d.Name)}
	if d.OS != "" {
		words[1] += " (" + shown(d.OS) + ")"
	}
	words = append(words, "since "+inUTC(d.CreatedAt))
	if !d.LastSeen.IsZero() {
		words = append(words, "seen "+inUTC(d.LastSeen))
	}
	if !d.RevokedAt.IsZero() {
		words = append(words, "ended "+inUTC(d.RevokedAt)+whyEnded(d.RevokedFor))
	}
	if current {
		words = append(words, "this computer")
	}
	_, err := fmt.Fprintln(a.stdout, strings.Join(words, ", "))
	return err
}

// whyEnded says what the member should know of the end of a login.
func whyEnded(why memory.EndReason) string {
	switch why {
	case memory.EndLogout:
		return " by logout"
	case memory.EndTokenRevoked:
		return " with the API token that logged it in"
	case memory.EndRefreshReused:
		return " because its refresh token was used twice: somebody may have copied it"
	case memory.EndRemoved:
	}
	return ""
}
