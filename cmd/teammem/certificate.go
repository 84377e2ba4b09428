package main

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/teammem/teammem/memory"
)

// certificate is the server's, with its key. Its files are read again when they
// change, so that a renewed one needs no restart.
type certificate struct {
	cert, key string // names of the files
	clock     memory.Clock
	log       *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	seen    [2]os.FileInfo // of the files as they were last read, whatever came of it
	looked  time.Time
}

// openCertificate reads the pair.
func openCertificate(cert, key string, clock memory.Clock, log *slog.Logger) (*certificate, error) {
	if cert == "" || key == "" {
		return nil, memory.Invalid("tls-cert", "--tls-cert and --tls-key belong together: name both files")
	}
	c := &certificate{cert: cert, key: key, clock: clock, log: log}
	if _, err := c.changed(); err != nil {
		return nil, memory.Invalid("tls-cert", err.Error())
	}
	if err := c.read(); err != nil {
		return nil, &memory.Error{
			Code: memory.CodeInvalid, Field: "tls-cert", Message: err.Error(),
			Hint: "both are in PEM, the server's own certificate comes first, and the key is the one that it was made for",
		}
	}
	c.looked = clock()
	if end := c.current.Leaf.NotAfter; clock().After(end) {
		log.Warn("the certificate has ended, and clients refuse it", slog.String("file", cert), slog.Time("not_after", end))
	}
	warnOfReaders(log, key)
	return c, nil
}

// config is how the server speaks TLS.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

// get returns the certificate for a connection. A pair that cannot be read, or
// of which only one file is new yet, leaves the one before in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const pause = time.Second // between looks at the files
	now := c.clock()
	if now.Sub(c.looked) < pause {
		return c.current, nil
	}
	c.looked = now
	changed, err := c.changed()
	if changed && err == nil {
		err = c.read()
	}
	switch {
	case !changed:
	case err != nil:
		c.log.Error("the new certificate cannot be used; the one before stays in use", slog.String("err", err.Error()))
	default:
		c.log.Info("the certificate was renewed", slog.Time("not_after", c.current.Leaf.NotAfter))
	}
	return c.current, nil
}

// changed reports whether a file is not the one that was seen last. It remembers
// what it sees, so that a bad pair is read, and told of, once.
func (c *certificate) changed() (changed bool, err error) {
	for i, name := range []string{c.cert, c.key} {
		info, statErr := os.Stat(name)
		if statErr != nil {
			info, err = nil, cmp.Or(err, statErr)
		}
		if !sameState(c.seen[i], info) {
			c.seen[i], changed = info, true
		}
	}
	return changed, err
}

func sameState(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", c.cert, c.key, err)
	}
	c.current = &pair
	return nil
}

// host is a name for which the certificate is good, "" if it has none.
func (c *certificate) host() string {
	for _, name := range c.current.Leaf.DNSNames {
		if !strings.HasPrefix(name, "*") {
			return name
		}
	}
	for _, ip := range c.current.Leaf.IPAddresses {
		return ip.String()
	}
	return ""
}
