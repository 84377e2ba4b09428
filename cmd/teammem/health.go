package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
)

func (a *app) newHealthCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "health",
		Short: "Ask the server on this machine whether it can serve",
		Long: `Ask the server that listens on this machine whether it can serve, as a
container's health check does. It takes the settings of serve, from the same
variables. Exit 0: it can; 1: it cannot, or nobody answers; 2: wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runHealth(c.Context(), o) },
	}
	bind(c.Flags(), &o.listen, "listen")
	bind(c.Flags(), &o.cert, "tls-cert")
	return c
}

func runHealth(ctx context.Context, o serveOptions) error {
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil || port == "0" {
		return memory.Invalid("listen", "name the address that the server listens on, with --listen HOST:PORT")
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() && !ip.Is4In6() {
			host = "::1"
		}
	}
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	url, transport := "http://"+net.JoinHostPort(host, port)+"/readyz", &http.Transport{}
	defer transport.CloseIdleConnections()
	if o.cert != "" {
		url = "https" + strings.TrimPrefix(url, "http")
		// Nothing secret is sent, and the files may be newer than what is served, or
		// broken: that the server goes on without them is no reason to end it.
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true} //nolint:gosec // see above
	}
	return askReady(ctx, &http.Client{Transport: transport}, url)
}

func askReady(ctx context.Context, c *http.Client, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return fmt.Errorf("no server answers on this machine: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	const most = 1 << 10
	text, _ := io.ReadAll(io.LimitReader(resp.Body, most)) // only to say more
	return fmt.Errorf("the server cannot serve: %s %s", resp.Status, strings.TrimSpace(string(text)))
}
