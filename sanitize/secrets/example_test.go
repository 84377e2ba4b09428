package secrets_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/teammem/teammem/sanitize/secrets"
)

func ExampleScanner_Scan() {
	scanner, err := secrets.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	// Made here, so that this file holds no token itself.
	token := "gh" + "p_" + strings.Repeat("4hT9xQ2mZ", 4)
	found, err := scanner.Scan(context.Background(), "# Deploy\n\nThe job signs in with "+token+".\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found {
		fmt.Println(f.Severity, f)
	}
	// Output: hard github-pat (line 3, column 23)
}
