package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// What of a report is kept as JSON spells its names out, so that renaming
// something in package memory cannot change what old rows mean.
type (
	storedHold struct {
		ID        string           `json:"id"`
		Deletes   int              `json:"deletes,omitempty"`
		Changes   int              `json:"changes,omitempty"`
		Direction memory.Direction `json:"direction"`
	}

	storedFile struct {
		Path  string      `json:"path,omitempty"`
		Code  memory.Code `json:"code"`
		Layer string      `json:"layer,omitempty"`
	}
)

// KeepReport keeps a report in place of the one before on the same tree. Of more
// trees than most, those are forgotten that were not reported on for longest.
func (s *Store) KeepReport(
	ctx context.Context, project memory.ProjectID, r memory.DeviceReport, client string, at time.Time, most int,
) error {
	holds, refused, blocked := make([]storedHold, len(r.Holds)), storedFiles(r.Refused), storedFiles(r.Blocked)
	for i, h := range r.Holds {
		holds[i] = storedHold(h)
	}
	lists, err := asJSON(holds, refused, blocked)
	if err != nil {
		return err
	}
	return s.fault(ctx, "keep report", s.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into device_reports (
				project_id, device_id, tree, mode, holds, refused, blocked, refused_total, blocked_total, conflicts, waiting, client, at
			) values (
				@project, @device, @tree, @mode, @holds, @refused, @blocked, @refused_total, @blocked_total, @conflicts, @waiting, @client, @at
			)
			on conflict (project_id, device_id, tree) do update
			set mode = excluded.mode, holds = excluded.holds, refused = excluded.refused, blocked = excluded.blocked,
				refused_total = excluded.refused_total, blocked_total = excluded.blocked_total, conflicts = excluded.conflicts,
				waiting = excluded.waiting, client = excluded.client, at = excluded.at`,
			pgx.StrictNamedArgs{
				"project": project, "device": r.Device, "tree": r.Tree, "mode": r.Flow, "holds": lists[0], "refused": lists[1],
				"blocked": lists[2], "refused_total": r.RefusedTotal, "blocked_total": r.BlockedTotal, "conflicts": r.Conflicts,
				"waiting": r.Waiting, "client": client, "at": at,
			})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			delete from device_reports
			where project_id = @project and device_id = @device and tree in (
				select tree
				from device_reports
				where project_id = @project and device_id = @device
				order by at desc, tree
				offset @most
			)`,
			pgx.StrictNamedArgs{"project": project, "device": r.Device, "most": most})
		return err
	}))
}

func storedFiles(files []memory.ReportedFile) []storedFile {
	kept := make([]storedFile, len(files))
	for i, f := range files {
		kept[i] = storedFile{f.Path.String(), f.Code, f.Layer}
	}
	return kept
}

// asJSON writes each list as Postgres takes it.
func asJSON(lists ...any) ([]string, error) {
	texts := make([]string, len(lists))
	for i, l := range lists {
		text, err := json.Marshal(l)
		if err != nil {
			return nil, fmt.Errorf("keep report: %T", err)
		}
		texts[i] = string(text)
	}
	return texts, nil
}

// KeepCursors keeps how far computers have come, but for those that are not the
// members' whose they are said to be. A time is only written anew when it is old,
// so that computers without news cost nothing. No computer goes back in a history:
// what is older was written later, by another server.
func (s *Store) KeepCursors(ctx context.Context, cursors []memory.DeviceCursor, at time.Time) error {
	if len(cursors) == 0 {
		return nil
	}
	var projects, members, devices, epochs, clients []string
	var seqs []int64
	for _, c := range cursors {
		projects, members, devices = append(projects, string(c.Project)), append(members, string(c.Member)), append(devices, string(c.Device))
		epochs, seqs, clients = append(epochs, c.At.Epoch), append(seqs, c.At.Seq), append(clients, c.Client)
	}
	_, err := s.pool.Exec(ctx, `
		insert into device_cursors (project_id, device_id, epoch, seq, client, at)
		select p.project_id, d.device_id, u.epoch, u.seq, u.client, @at
		from unnest(@projects::text[], @members::text[], @devices::text[], @epochs::text[], @seqs::bigint[], @clients::text[])
			as u (project, member, device, epoch, seq, client)
		join projects p on p.project_id = u.project
		join devices d on d.device_id = u.device and d.member_id = u.member and d.revoked_at is null
		order by p.project_id, d.device_id
		on conflict (project_id, device_id) do update
		set epoch = excluded.epoch, client = excluded.client, at = excluded.at,
			seq = case device_cursors.epoch when excluded.epoch then greatest(device_cursors.seq, excluded.seq) else excluded.seq end
		where (device_cursors.epoch, device_cursors.seq, device_cursors.client) is distinct from (excluded.epoch, excluded.seq, excluded.client)
			or excluded.at > device_cursors.at + interval '5 minutes'
			or excluded.at < device_cursors.at - interval '1 hour' -- by a clock that was wrong`,
		pgx.StrictNamedArgs{
			"projects": projects, "members": members, "devices": devices, "epochs": epochs, "seqs": seqs, "clients": clients, "at": at,
		})
	return s.fault(ctx, "keep where devices are", err)
}
