module github.com/h2non/filetype

go 1.26.5
