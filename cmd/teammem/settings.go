package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// setting is what an operator sets: by a flag, or by a variable in its place.
type setting struct {
	flag    string
	takes   string // what its value is
	initial string
	usage   string
	secret  bool // never shown, and may be in a file that a second variable names
}

// settings is every setting there is. Flags, their help, the variables and the
// reference in docs/environment.md are made from it.
func settings() []setting {
	return []setting{
		{flag: "data", takes: "DIR", usage: "folder of the instance; holds its own Postgres unless a database URL is given"},
		{flag: "database-url", takes: "URL", secret: true, usage: "Postgres database to use instead"},
		{flag: "database-password-file", takes: "FILE", usage: "file with the password for the database URL, which then needs none"},
		{flag: "master-key-file", takes: "FILE", usage: "file with the key that the signing keys are encrypted with; without it one is made in the data folder"},
		{flag: "listen", takes: "HOST:PORT", initial: "127.0.0.1:0", usage: "address to listen on; port 0 takes a free one"},
		{flag: "url", takes: "URL", usage: "address at which members reach the server, such as https://memory.example.com"},
		{flag: "tls-cert", takes: "FILE", usage: "certificate, with those between it and the root, in PEM; read again when it changes"},
		{flag: "tls-key", takes: "FILE", usage: "private key of the certificate, in PEM"},
		{
			flag: "behind-proxy", takes: "NETWORKS",
			usage: "addresses of the proxies with TLS in front, such as 127.0.0.1 or 10.1.2.0/24,10.1.3.4; X-Forwarded-For counts from them alone",
		},
		{flag: "log-level", takes: "LEVEL", initial: "info", usage: "what is logged, and whatever is worse: debug, info, warn or error"},
		{flag: "metrics-listen", takes: "HOST:PORT", usage: "where to answer /metrics, /healthz and /readyz for this machine or a private network"},
	}
}

// prefix is how the names of all variables begin.
const prefix = "TEAMMEM_"

// variable stands in for the flag.
func (s setting) variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// fileVariable names a file that holds a secret.
func (s setting) fileVariable() string { return s.variable() + "_FILE" }

func (s setting) help() string {
	if s.secret {
		return fmt.Sprintf("%s (or %s, or a file that %s names)", s.usage, s.variable(), s.fileVariable())
	}
	return fmt.Sprintf("%s (or %s)", s.usage, s.variable())
}

// flagSet is where a setting's flag is declared.
type flagSet interface {
	StringVar(p *string, name, value, usage string)
	SetAnnotation(name, key string, values []string) error
}

// fromTable marks flags of the table: others may have the same name.
const fromTable = "setting"

// bind declares the setting's flag.
func bind(flags flagSet, to *string, name string) {
	all := settings()
	i := slices.IndexFunc(all, func(s setting) bool { return s.flag == name })
	flags.StringVar(to, name, all[i].initial, all[i].help())
	_ = flags.SetAnnotation(name, fromTable, nil) // fails for unknown flags only
}

// environment gives the command's settings the values of their variables,
// where no flag does.
func (a *app) environment(c *cobra.Command, _ []string) error {
	for _, s := range settings() {
		f := c.Flags().Lookup(s.flag)
		if f == nil || f.Changed {
			continue
		}
		if _, ours := f.Annotations[fromTable]; !ours {
			continue
		}
		value, err := a.valueOf(s)
		if err != nil {
			return usageError{err, c.CommandPath()}
		}
		if value != "" {
			if err := c.Flags().Set(s.flag, value); err != nil {
				return usageError{fmt.Errorf("%s cannot be read", s.variable()), c.CommandPath()}
			}
		}
	}
	return nil
}

// valueOf is what the environment says of a setting. An empty variable says
// nothing: that is how files for containers spell an absent one.
func (a *app) valueOf(s setting) (string, error) {
	value := a.getenv(s.variable())
	if !s.secret {
		return value, nil
	}
	file := a.getenv(s.fileVariable())
	switch {
	case file == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("%s and %s are both set, and one of them is wrong", s.variable(), s.fileVariable())
	}
	value, err := readSecret(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.fileVariable(), err)
	}
	return value, nil
}

// readSecret reads a file that holds one secret, and at most a line end after it.
func readSecret(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const most = 16 << 10
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", err
	}
	b = bytes.TrimRight(b, "\r\n")
	if len(b) == 0 || len(b) > most || bytes.ContainsAny(b, "\x00\r\n") {
		return "", fmt.Errorf("%s does not hold one line of text", file)
	}
	return string(b), nil
}

// warnOfVariables tells of variables that look like settings and are none: a
// misspelt one would be missed in silence. Their values are not shown.
func (a *app) warnOfVariables(log *slog.Logger) {
	if a.environ == nil {
		return
	}
	known := map[string]bool{}
	for _, s := range settings() {
		known[s.variable()] = true
		if s.secret {
			known[s.fileVariable()] = true
		}
	}
	for _, v := range otherVariables() {
		known[v.name] = true
	}
	for _, pair := range a.environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, prefix+"TEST_") && !known[name] {
			log.Warn("a variable is not known, and has no effect", slog.String("variable", name))
		}
	}
}

// warnOfReaders tells of a secret's file that everybody on this machine can
// read. Where a link leads is what counts.
func warnOfReaders(log *slog.Logger, files ...string) {
	const others = 0o007
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.Mode()&others != 0 && runtime.GOOS != "windows" {
			log.Warn("a secret's file can be read by every user of this machine", slog.String("file", file))
		}
	}
}
