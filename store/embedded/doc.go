// Package embedded runs the private Postgres cluster of an instance that was
// given no database URL.
//
// # What it owns
//
// Below the instance's data folder:
//
//	postgres/        the cluster's data, marked as made here
//	postgres.init/   a data folder in the making, renamed when complete
//	postgres.lock    held by the process that runs the cluster
//	postgres.log     what the server says (and postgres.log.1, older)
//	socket/          mode 0700, holds the Unix socket
//
// It imports nothing of teammem's, and knows neither schema nor migrations.
//
// # Invariants
//
//   - It never deletes data. A folder it did not make, or cannot run, is
//     refused with what to do next; the only things it removes are its own
//     socket and a data folder whose initdb never finished.
//   - One process runs a cluster: the one that holds the lock. Another one may
//     use it beside that process ([Open]).
//   - Postgres ends with the process that started it, even when that one is
//     killed (on Linux), and whatever was killed, the next start recovers.
//   - Nothing listens on a network. Every role may connect without a password,
//     but only through the socket's folder, and only the account that could
//     read the data files anyway may enter it. Peer authentication would add
//     nothing to that, and cannot work where a user namespace hides who asks.
//   - The log never holds what members wrote: statements, parameters, and error
//     texts that may quote them stay out (settings.go).
//
// # Who runs Postgres
//
// Postgres refuses to run as root. The owner of the data folder decides: an
// ordinary user's cluster runs as that user, also when root starts it, and
// root's runs in a user namespace in which root has another number. A new
// folder of root's is root's where the kernel allows such a namespace, and else
// belongs to an unprivileged account that can reach it.
//
// # Use
//
//	cluster, err := embedded.Start(ctx, dir, embedded.Options{Logger: logger})
//	if err != nil {
//		return err
//	}
//	defer cluster.Stop(context.WithoutCancel(ctx))
//	pool, err := pgxpool.New(ctx, cluster.URL())
package embedded
