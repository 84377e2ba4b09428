module github.com/mholt/archives

go 1.26.5
