package main

import (
	"sync"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize/secrets"
)

// lazyScanner builds the secret scanner once, when it is first needed.
func lazyScanner() func() (memory.Scanner, error) {
	return sync.OnceValues(func() (memory.Scanner, error) { return secrets.New() })
}
