// Package viper stands in for the configuration library of that name. The
// secret scanner's library reads its rules with it, which are TOML, and links
// readers of six more notations that would be initialised at every start of the
// program. This one reads TOML. teammem itself reads the rules without it; the
// tests compare what both have read.
package viper

import (
	"errors"
	"io"

	"github.com/pelletier/go-toml/v2"
)

// Viper holds a text of TOML.
type Viper struct{ text []byte }

// New returns a Viper that has read nothing.
func New() *Viper { return &Viper{} }

// SetConfigType is there for its callers: the notation is TOML.
func (*Viper) SetConfigType(string) {}

// ReadConfig reads a text.
func (v *Viper) ReadConfig(in io.Reader) (err error) {
	v.text, err = io.ReadAll(in)
	return err
}

// Unmarshal stores what was read in the struct that into points to.
func (v *Viper) Unmarshal(into any) error { return toml.Unmarshal(v.text, into) }

// global is what the functions of the package work on, as in the original.
var global Viper

// SetConfigType is [Viper.SetConfigType] of the one Viper of the package.
func SetConfigType(string) {}

// ReadConfig is [Viper.ReadConfig] of the one Viper of the package.
func ReadConfig(in io.Reader) error { return global.ReadConfig(in) }

// Unmarshal is [Viper.Unmarshal] of the one Viper of the package.
func Unmarshal(into any) error { return global.Unmarshal(into) }

// ConfigFileUsed names no file: rules are never read from one.
func ConfigFileUsed() string { return "" }

// SetConfigFile is never called: rules are never read from a file.
func SetConfigFile(string) {}

// ReadInConfig fails, so that a file of rules is never taken for granted.
func ReadInConfig() error { return errors.ErrUnsupported }
