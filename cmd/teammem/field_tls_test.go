package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// invite adds a member of a server with TLS, who has not logged in.
func (tm *team) invite(t *testing.T, name string) *member {
	t.Helper()
	tm.must(t, append(tm.admin, "member", "add", name)...)
	m := &member{team: tm, home: filepath.Join(tm.dir, name)}
	m.token = tm.must(t, append(tm.admin, "token", "create", "--member", name, "--scope", "sync:read,sync:write")...)
	mkdir(t, m.work())
	mkdir(t, m.tree())
	return m
}

// F53: the team's authority is known to one command only. Here a login names
// it, and everything after it trusts the server: link, sync, hook, doctor.
// Without it, what is said names the fix; and there is no way around.
func TestField_F53_OwnAuthority(t *testing.T) {
	t.Parallel()
	tm, p := newTLSTeam(t, "127.0.0.1")
	tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	m := tm.invite(t, "mara")
	r := m.in(t, m.home, exitOffline, nil, "login", tm.url, "--token", m.token)
	says(t, r.stderr, "the certificate of "+tm.url+" is signed by", "which this system does not know", "teammem login "+tm.url+" --ca-file FILE")
	silentOn(t, r.stderr, m.token, "insecure", "run it again when the server can be reached")
	if _, err := os.Stat(m.credentials()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a login is kept that failed: %v", err)
	}

	authorities := filepath.Join(m.home, "team.pem")
	text, err := os.ReadFile(p.cert)
	if err != nil {
		t.Fatal(err)
	}
	note(t, string(text), authorities)
	m.in(t, m.home, 0, nil, "login", tm.url, "--token", m.token, "--ca-file", "team.pem")
	m.must(t, "link", m.work(), "--project", "acme/app", "--memory-dir", filepath.Join(m.home, "memory"))
	m.write(t, "db.md", "# DB\n\nuse postgres\n")
	m.sync(t, 0)
	m.tokenEnds(t, true)
	m.sync(t, 0)
	silentOn(t, m.starts(t, "one", "startup").Message, "certificate")
	says(t, m.run(t, "doctor", m.work()).stdout, "certificate", "for 127.0.0.1, by ", "("+authorities+")")
	says(t, m.must(t, "whoami"), "ca file   "+authorities)
	m.must(t, "login", tm.url, "--token", m.token) // again, without naming it again
	m.sync(t, 0)

	other := tm.invite(t, "jo")
	other.in(t, other.home, 0, []string{"TEAMMEM_CA_FILE=" + authorities}, "login", tm.url, "--token", other.token)
	other.must(t, "whoami")

	if err := os.Remove(authorities); err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{
		m.sync(t, exitUsage).stderr, m.starts(t, "two", "startup").Message, m.run(t, "doctor", m.work()).stdout,
	} {
		says(t, said, authorities, "no such file")
	}
}

// F61: a certificate that does not cover the address by which the team reaches
// its server, and an authority that was replaced.
func TestField_F61_Certificate(t *testing.T) {
	t.Parallel()
	tm, p := newTLSTeam(t, "memory.example.com", "10.0.0.7")
	m := tm.invite(t, "mara")
	r := m.in(t, m.home, exitOffline, nil, "login", tm.url, "--token", m.token, "--ca-file", p.cert)
	says(t, r.stderr, "is for memory.example.com and 10.0.0.7, not for 127.0.0.1")

	listen := strings.TrimPrefix(tm.url, "https://")
	restart := func(p pair) {
		tm.stop(syscall.SIGTERM)
		tm.start(t, listen, "--tls-cert", p.cert, "--tls-key", p.key)
	}
	before, after := certify(t, t.TempDir(), "127.0.0.1"), certify(t, t.TempDir(), "127.0.0.1")
	restart(before)
	authorities := filepath.Join(m.home, "team.pem")
	text := func(p pair) string {
		b, err := os.ReadFile(p.cert)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	note(t, text(before), authorities)
	m.must(t, "login", tm.url, "--token", m.token, "--ca-file", authorities)
	restart(after)
	r = m.in(t, m.home, exitOffline, nil, "whoami")
	says(t, r.stderr, "not among the authorities of this system or of "+authorities, "put the new one into that file too")
	note(t, text(before)+text(after), authorities)
	m.must(t, "whoami")

	r = m.in(t, m.home, exitOffline, nil, "login", "http://"+listen, "--token", m.token)
	says(t, r.stderr, "http://"+listen+" wants TLS", "the address begins with https://")
}
