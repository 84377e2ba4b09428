package main

import (
	"os/exec"
	"syscall"
)

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// background is a program that is only ended, and never awaited before.
type background struct{ all []*exec.Cmd }

func (b *background) run(c *exec.Cmd) error {
	err := c.Start()
	if err == nil {
		b.all = append(b.all, c)
	}
	return err
}

func (b *background) watching() (pids []int) {
	for _, c := range b.all {
		pids = append(pids, c.Process.Pid)
	}
	return pids
}

func (b *background) end() {
	for _, c := range b.all {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait() // the signal is the reason
	}
	b.all = nil
}
