package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// masterOptions say where the instance's master key is.
type masterOptions struct {
	file string // "" for the one in the instance's folder
	data string
}

// path is the file's; "" if nobody named one.
func (o masterOptions) path() string {
	if o.file == "" && o.data != "" {
		return filepath.Join(o.data, "master.key")
	}
	return o.file
}

// read reads the master key.
func (o masterOptions) read() (*auth.MasterKey, error) {
	path := o.path()
	if path == "" {
		return nil, &memory.Error{
			Code: memory.CodeInvalid, Field: "master-key-file",
			Message: "name where the instance's master key is kept; without --data there is no usual place",
			Hint:    "--master-key-file FILE, which is made at the first start; all servers of an instance need the same one",
		}
	}
	text, err := readSecret(path)
	if err != nil {
		return nil, err
	}
	master, err := auth.ParseMasterKey(text)
	if err != nil {
		return nil, memory.Invalid("master-key-file", fmt.Sprintf("%s: %v", path, err))
	}
	return master, nil
}

// create makes the file whole or not at all, and never in place of another: the
// key that is there already is then the one, since another server made it.
func (o masterOptions) create() (*auth.MasterKey, error) {
	dir := filepath.Dir(o.path())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, ".master.key-") // for its owner alone
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }() // a second name of the key, or none
	_, err = f.WriteString(auth.MintMasterKey() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(f.Name(), o.path()); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return o.read()
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// explain says what to do about a master key that cannot be read.
func (o masterOptions) explain(err error) error {
	if _, known := errors.AsType[*memory.Error](err); known {
		return err
	}
	if !isMissing(err) {
		return memory.Invalid("master-key-file", err.Error())
	}
	return &memory.Error{
		Code: memory.CodeInvalid, Field: "master-key-file", Err: err,
		Message: fmt.Sprintf("%s is missing, and the keys in the database are encrypted with it", o.path()),
		Hint:    recoverMaster,
	}
}

// foreign says that the master key is not that of the database.
func (o masterOptions) foreign(err error) error {
	return &memory.Error{
		Code: memory.CodeInvalid, Field: "master-key-file", Err: err,
		Message: fmt.Sprintf("%s is not what the keys in the database are encrypted with", o.path()),
		Hint:    recoverMaster,
	}
}

const recoverMaster = "take the file of another server or from a backup; if it is lost, run teammem admin key rotate --now, and clients renew their tokens"
