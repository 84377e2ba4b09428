package main

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// detached gives a program no console and a group of its own, so that it goes
// on when the terminal or the agent is gone.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
