module github.com/gitleaks/go-gitdiff

go 1.26.5
