package embedded

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// setting is one line of a Postgres configuration.
type setting struct{ name, value string }

// tunable settings go into postgresql.conf when a cluster is made. They are
// starting points for a small server, for its owner to change there.
func tunable() []setting {
	return []setting{
		{"max_connections", "50"},
		{"shared_buffers", "64MB"},
		{"max_wal_size", "256MB"},
		{"jit", "off"}, // compiling costs more than our short queries take
		{"timezone", "UTC"},
		{"log_timezone", "UTC"},
	}
}

// fixed settings go on the command line, where neither postgresql.conf nor
// ALTER SYSTEM can undo them.
func fixed(socketDir string) []setting {
	return []setting{
		{"listen_addresses", ""},
		{"port", fmt.Sprint(socketPort)},
		{"unix_socket_directories", quoteListItem(socketDir)},
		{"unix_socket_permissions", "0700"},
		{"unix_socket_group", ""},

		{"logging_collector", "off"},
		{"log_destination", "stderr"},
		{"log_line_prefix", "%m [%p] "},
		{"log_checkpoints", "off"},
		// Content must not reach the log. Statements and parameters are one way
		// there, the texts of errors ("invalid input syntax for …", "failing row
		// contains …") another. The client gets those errors anyway, so the log
		// keeps to the server's own life: LOG, FATAL and PANIC without details.
		{"log_statement", "none"},
		{"log_duration", "off"},
		{"log_min_duration_statement", "-1"},
		{"log_min_duration_sample", "-1"},
		{"log_transaction_sample_rate", "0"},
		{"log_min_messages", "log"},
		{"log_min_error_statement", "panic"},
		{"log_error_verbosity", "terse"},
		{"log_parameter_max_length", "0"},
		{"log_parameter_max_length_on_error", "0"},
	}
}

// durable settings keep a committed change through a power cut, and throwaway
// ones do without.
func durability(throwaway bool) []setting {
	value := "on"
	if throwaway {
		value = "off"
	}
	return []setting{{"fsync", value}, {"synchronous_commit", value}, {"full_page_writes", value}}
}

// confBlock renders the tunable settings as the end of a postgresql.conf.
func confBlock() string {
	var b strings.Builder
	b.WriteString("\n# Chosen by teammem when it made this cluster; yours to change.\n" +
		"# Socket, logging and durability are set on the command line instead.\n")
	for _, s := range tunable() {
		fmt.Fprintf(&b, "%s = '%s'\n", s.name, s.value)
	}
	return b.String()
}

// serverArgs is the command line of the postmaster. Later settings win, so the
// caller's come before those that safety depends on.
func serverArgs(data, socketDir string, opt Options) []string {
	args := []string{"-D", data}
	for _, name := range slices.Sorted(maps.Keys(opt.Settings)) {
		args = append(args, "-c", name+"="+opt.Settings[name])
	}
	for _, s := range slices.Concat(durability(opt.Throwaway), fixed(socketDir)) {
		args = append(args, "-c", s.name+"="+s.value)
	}
	return args
}

// quoteListItem quotes a path for a comma-separated setting.
func quoteListItem(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
