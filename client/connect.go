package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// ConnectError means that something answers at the server's address, and that
// there can be no talk with it: it cannot prove to be the server, or speaks
// another protocol. It counts as [ErrOffline].
type ConnectError struct {
	Message string
	Hint    string // what to do
}

// Error returns what is wrong.
func (e *ConnectError) Error() string { return e.Message }

// Is makes it an [ErrOffline]: nothing came from the server.
func (e *ConnectError) Is(target error) bool { return target == ErrOffline }

// unusable says in plain words why a connection failed; nil if it is not for
// one of the reasons that only a person can do something about.
func (s *Server) unusable(err error) *ConnectError {
	if c, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return s.untrusted(c)
	}
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return &ConnectError{
			s.base + " answers, but without TLS", "on this machine the address may begin with http://; else ask who runs the server",
		}
	// A TLS server answers with an alert, which net/http has no type for.
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`):
		return s.wantsTLS()
	}
	return nil
}

func (s *Server) wantsTLS() *ConnectError {
	return &ConnectError{s.base + " wants TLS", "the address begins with https://"}
}

// untrusted explains a certificate that proves nothing.
func (s *Server) untrusted(err *tls.CertificateVerificationError) *ConnectError {
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return s.otherName(e)
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return s.outOfDate(e.Cert)
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); !ok {
		return &ConnectError{
			fmt.Sprintf("the certificate of %s is not accepted: %v", s.base, err.Err), "ask who runs the server to replace it",
		}
	}
	issuer := "an authority"
	if len(err.UnverifiedCertificates) > 0 {
		issuer = visible(err.UnverifiedCertificates[0].Issuer.String())
	}
	if s.caFile != "" {
		return &ConnectError{
			fmt.Sprintf("the certificate of %s is signed by %s, which is not among the authorities of this system or of %s", s.base, issuer, s.caFile),
			"if your team's authority was replaced, put the new one into that file too",
		}
	}
	return &ConnectError{
		fmt.Sprintf("the certificate of %s is signed by %s, which this system does not know", s.base, issuer),
		fmt.Sprintf("if that is your team's own authority, name the file with its certificate: teammem login %s --ca-file FILE", s.base),
	}
}

func (s *Server) otherName(e x509.HostnameError) *ConnectError {
	asked := e.Host
	covered := coveredBy(e.Certificate)
	if covered == "" {
		return &ConnectError{
			fmt.Sprintf("the certificate of %s names neither hosts nor addresses, so it is not for %s", s.base, asked),
			"ask who runs the server for one with a subject alternative name",
		}
	}
	return &ConnectError{
		fmt.Sprintf("the certificate of %s is for %s, not for %s", s.base, covered, asked),
		"use the address that it is for, or ask who runs the server for one that covers " + asked,
	}
}

// outOfDate names the dates. Which of the two clocks is wrong cannot be known.
func (s *Server) outOfDate(c *x509.Certificate) *ConnectError {
	whose := "the certificate of " + s.base
	if c.IsCA {
		whose = fmt.Sprintf("the authority behind the certificate of %s (%s)", s.base, visible(c.Subject.String()))
	}
	what := fmt.Sprintf("%s is valid from %s until %s", whose, minute(c.NotBefore), minute(c.NotAfter))
	if s.clock != nil {
		what += ", and this computer's clock says " + minute(s.clock())
	}
	return &ConnectError{what, "check this computer's clock; if it is right, ask who runs the server for a new certificate"}
}

// coveredBy lists the names and addresses of a certificate, as many as a
// person reads; "" if there are none.
func coveredBy(c *x509.Certificate) string {
	const most = 10
	var all []string
	for _, name := range c.DNSNames {
		all = append(all, visible(name))
	}
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) > most {
		all = append(all[:most], fmt.Sprintf("%d more", len(all)-most))
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// visible quotes a foreign text of which not everything can be seen.
func visible(s string) string {
	if quoted := strconv.Quote(s); quoted[1:len(quoted)-1] != s {
		return quoted
	}
	return s
}

// withoutURL takes the URL out of a transport error, which repeats it.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// withoutPath takes the path out of an error that is going to name it.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
