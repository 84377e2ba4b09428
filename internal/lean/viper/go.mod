module github.com/spf13/viper

go 1.26.5

require github.com/pelletier/go-toml/v2 v2.2.3
