//go:build unix

package main

import "syscall"

// detached puts a program into a session of its own, so that it goes on when
// the terminal or the agent is gone.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
