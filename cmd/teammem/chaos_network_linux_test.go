package main

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// weather is what a network does to a connection.
type weather int

const (
	fair weather = iota
	slow         // what is sent comes late
	calm         // nothing comes, and nothing is said
	cut          // there is no connection
)

// network lies between one member and the server.
type network struct {
	url    string
	target string

	mu    sync.Mutex
	now   weather
	turn  chan struct{} // closed when the weather changes
	conns map[net.Conn]bool
}

// newNetwork forwards to a server until the test ends.
func newNetwork(t *testing.T, target string) *network {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{url: "http://" + l.Addr().String(), target: target, turn: make(chan struct{}), conns: map[net.Conn]bool{}}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { n.carry(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		n.set(cut)
		serving.Wait()
	})
	return n
}

// set changes the weather. What is connected when it is cut stays cut.
func (n *network) set(w weather) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = w
	close(n.turn)
	n.turn = make(chan struct{})
	if w == cut {
		for c := range n.conns {
			_ = c.Close()
		}
	}
}

func (n *network) look() (weather, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now, n.turn
}

// hold notes connections, if there may be any.
func (n *network) hold(both ...net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range both {
		n.conns[c] = true
	}
	return n.now != cut
}

func (n *network) release(both ...net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range both {
		_ = c.Close()
		delete(n.conns, c)
	}
}

// carry joins a connection with one to the server, until either ends.
func (n *network) carry(client net.Conn) {
	server, err := net.Dial("tcp", n.target)
	if err != nil {
		_ = client.Close()
		return
	}
	defer n.release(client, server)
	if !n.hold(client, server) {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			n.pass(way[0], way[1])
			n.release(client, server)
		})
	}
	both.Wait()
}

// pass forwards one way, as the weather lets it.
func (n *network) pass(from io.Reader, to io.Writer) {
	const late = 60 * time.Millisecond
	buf := make([]byte, 4<<10)
	for {
		size, err := from.Read(buf)
		if err != nil {
			return
		}
		now, turn := n.look()
		for now == calm {
			<-turn
			now, turn = n.look()
		}
		if now == slow {
			select {
			case <-time.After(late):
			case <-turn:
			}
		}
		if _, err := to.Write(buf[:size]); err != nil {
			return
		}
	}
}
