module github.com/mitchellh/colorstring

go 1.26.5
