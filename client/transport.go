package client

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"

	"github.com/teammem/teammem/memory"
)

// newTransport is the only place that decides how servers are reached: through
// the proxy that the environment names, with TLS 1.2 or newer, and trusting
// the system's authorities and those of the file, if there is one. There is no
// way not to verify a certificate.
func newTransport(caFile string, clock memory.Clock) (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = http.ProxyFromEnvironment
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, Time: clock}
	if caFile == "" {
		return t, nil // and the system's authorities are only read when they are needed
	}
	roots, err := authorities(caFile)
	t.TLSClientConfig.RootCAs = roots
	return t, err
}

// authorities returns the system's authorities and all those of a file.
func authorities(file string) (*x509.CertPool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, badAuthorities(file, "cannot be read: "+withoutPath(err).Error())
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a small container has none
	}
	found := 0
	for rest := b; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue // some bundles hold text and keys, too
		}
		found++
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, badAuthorities(file, fmt.Sprintf("has a damaged certificate, number %d", found))
		}
		pool.AddCert(c)
	}
	if begun := bytes.Count(b, []byte("-----BEGIN CERTIFICATE-----")); found == 0 || found < begun {
		return nil, badAuthorities(file, fmt.Sprintf("has %d certificates that can be read, of %d", found, begun))
	}
	return pool, nil
}

// badAuthorities names the file: it may have been chosen a year ago.
func badAuthorities(file, what string) error {
	return &memory.Error{
		Code: memory.CodeInvalid, Field: "ca-file", Message: "the file of certificate authorities " + file + " " + what,
		Hint: "put it back, or name another one: teammem login URL --ca-file FILE",
	}
}
