package watch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/client/tree"
)

// What may be asked, one line each. The answer is the state in either case.
const (
	askState = "state"
	askLook  = "look" // at links, logins and pauses
)

// socketTime bounds one question with its answer.
const socketTime = 5 * time.Second

// maxAnswer bounds what is read of an answer, in bytes. A tree takes about 500.
const maxAnswer = 4 << 20

// socket is where other processes of the member ask how it stands.
type socket struct {
	*Watcher

	listener net.Listener
	answers  sync.WaitGroup
}

// serve opens the socket in a folder that nobody else can look into.
func (w *Watcher) serve(ctx context.Context) (*socket, error) {
	if w.options.Runtime == "" {
		return nil, nil //nolint:nilnil // a nil socket can be closed
	}
	if err := ownFolder(w.options.Runtime); err != nil {
		return nil, err
	}
	sweepSockets(w.options.Runtime)
	path := filepath.Join(w.options.Runtime, strconv.Itoa(os.Getpid())+".sock")
	_ = os.Remove(path)                // of an earlier process with this number
	l, err := net.Listen("unix", path) //nolint:noctx // a socket that is there at once
	if err != nil {
		return nil, fmt.Errorf("open socket: %w", err)
	}
	w.socket = path
	s := &socket{Watcher: w, listener: l}
	s.answers.Go(func() { s.accept(ctx) })
	return s, nil
}

// ownFolder makes a folder for us alone, or makes sure that it is one.
func ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder for the socket: %w", err)
	}
	ours, err := tree.Owned(dir)
	if err == nil && !ours {
		err = errors.New("it is no folder of yours")
	}
	if err == nil {
		err = os.Chmod(dir, 0o700) //nolint:gosec // a folder that we have to enter
	}
	if err != nil {
		return fmt.Errorf("the folder %s cannot hold a socket: %w", dir, err)
	}
	return nil
}

// sweepSockets removes what processes left behind that were killed.
func sweepSockets(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, "*.sock")) // the pattern is fine
	for _, path := range left {
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil { //nolint:noctx // it is here or it is not
			_ = c.Close()
		} else {
			_ = os.Remove(path)
		}
	}
}

func (s *socket) accept(ctx context.Context) {
	for ctx.Err() == nil {
		c, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many files are open, for instance
			pause(ctx, s.pace.retry[0])
		default:
			s.answers.Go(func() { s.answer(c) })
		}
	}
}

func (s *socket) answer(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(s.clock().Add(socketTime))
	line, err := bufio.NewReaderSize(c, 64).ReadSlice('\n')
	if err != nil {
		return
	}
	if string(line) == askLook+"\n" {
		s.look()
	}
	_ = json.MarshalWrite(c, s.State()) // whoever asked may be gone
}

func (s *socket) close() {
	if s != nil {
		_ = s.listener.Close() // and with it goes the file
		s.answers.Wait()
	}
}

// Ask returns how it stands with whoever watches at a socket.
func Ask(ctx context.Context, path string) (State, error) { return question(ctx, path, askState) }

// Stir has whoever watches at a socket look at links, logins and pauses.
func Stir(ctx context.Context, path string) error {
	_, err := question(ctx, path, askLook)
	return err
}

func question(ctx context.Context, path, what string) (s State, err error) {
	ctx, cancel := context.WithTimeout(ctx, socketTime)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return s, fmt.Errorf("ask whoever watches: %w", err)
	}
	defer c.Close()
	if at, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(at)
	}
	if _, err := fmt.Fprintln(c, what); err != nil {
		return s, fmt.Errorf("ask whoever watches: %w", err)
	}
	if err := json.UnmarshalRead(io.LimitReader(c, maxAnswer), &s); err != nil {
		return s, fmt.Errorf("ask whoever watches: %w", err)
	}
	return s, nil
}
