//go:build !linux

package testdisk

import "errors"

// Submit is for Linux.
func Submit() error { return errors.ErrUnsupported }
