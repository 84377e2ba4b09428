package wire

import (
	"time"

	"github.com/teammem/teammem/memory"
)

// Project is a project as one member sees it.
type Project struct {
	ID      string   `json:"id"`
	Slug    string   `json:"slug"`
	Role    string   `json:"role"`
	Epoch   string   `json:"epoch"`
	Head    int64    `json:"head"`
	Floor   int64    `json:"floor"`
	Digest  string   `json:"digest"`
	Remotes []string `json:"remotes"`
	Review  string   `json:"review"`

	FindingKey string `json:"finding_key,omitzero"` // in base64url; of one project, to those who write there
}

// NewProject describes a project.
func NewProject(v memory.ProjectView) Project {
	return Project{
		ID: string(v.ID), Slug: v.Slug, Role: v.Role.String(), Epoch: v.Head.Epoch, Head: v.Head.Seq, Floor: v.Head.Floor,
		Digest: v.Head.Digest.String(), Remotes: v.Remotes, Review: string(v.Review),
	}
}

// Domain returns the project.
func (w Project) Domain() (memory.ProjectView, error) {
	role, err := memory.ParseRole(w.Role)
	if err != nil {
		return memory.ProjectView{}, malformed("an unknown role")
	}
	id, err := served[memory.ProjectID]("prj_", w.ID)
	if err != nil {
		return memory.ProjectView{}, err
	}
	if err := servedEpoch(w.Epoch); err != nil {
		return memory.ProjectView{}, err
	}
	if _, err := memory.ParseSlug(w.Slug); err != nil {
		return memory.ProjectView{}, malformed("a project whose name is none")
	}
	digest, err := memory.ParseDigest(w.Digest)
	if err != nil || w.Head < 0 {
		return memory.ProjectView{}, malformed("a project without digest or head")
	}
	return memory.ProjectView{
		Project: memory.Project{
			ID: id, Slug: w.Slug, Remotes: fitAll(w.Remotes), Review: memory.Preset(fit(w.Review)),
			Head: memory.Head{Epoch: w.Epoch, Seq: w.Head, Floor: w.Floor, Digest: digest},
		},
		Role: role,
	}, nil
}

// Me is who the caller is, and what its token may do.
type Me struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Admin   bool     `json:"admin"`
	Scopes  []string `json:"scopes"`
	Project string   `json:"project,omitzero"` // the only one that the token reaches
	Device  string   `json:"device,omitzero"`
}

// NewMe describes the caller.
func NewMe(m memory.Member, who memory.Principal) Me {
	w := Me{ID: string(m.ID), Name: m.Name, Admin: m.Admin, Scopes: []string{}, Project: string(who.Project), Device: string(who.Device)}
	for _, s := range who.Scopes {
		w.Scopes = append(w.Scopes, string(s))
	}
	return w
}

// Domain returns the caller's member and principal.
func (w Me) Domain() (memory.Member, memory.Principal, error) {
	id, err := served[memory.MemberID]("mem_", w.ID)
	if err != nil {
		return memory.Member{}, memory.Principal{}, err
	}
	who := memory.Principal{
		Member: id, Name: fit(w.Name), Admin: w.Admin, Device: memory.DeviceID(fit(w.Device)), Project: memory.ProjectID(fit(w.Project)),
	}
	for _, s := range w.Scopes {
		who.Scopes = append(who.Scopes, memory.Scope(fit(s)))
	}
	return memory.Member{ID: id, Name: who.Name, Admin: w.Admin}, who, nil
}

// DeviceAdd is the body of POST /me/devices.
type DeviceAdd struct {
	Name string `json:"name"`
	OS   string `json:"os,omitzero"`
}

// Domain returns name and operating system.
func (w DeviceAdd) Domain() (name, os string, err error) {
	if w.Name == "" {
		return "", "", missing("name")
	}
	if err := Label("name", w.Name, 200); err != nil {
		return "", "", err
	}
	return w.Name, w.OS, Label("os", w.OS, 50)
}

// Device is one computer of a member.
type Device struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	OS         string    `json:"os,omitzero"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at,omitzero"`
	RevokedAt  time.Time `json:"revoked_at,omitzero"`
	RevokedFor string    `json:"revoked_for,omitzero"` // logout, removed, token_revoked or refresh_reused
	Current    bool      `json:"current"`              // the caller's own
}

// NewDevice describes a device to the caller who has the current one.
func NewDevice(d memory.Device, current memory.DeviceID) Device {
	w := Device{
		ID: string(d.ID), Name: d.Name, OS: d.OS, CreatedAt: utc(d.CreatedAt), RevokedFor: string(d.RevokedFor), Current: d.ID == current,
	}
	if !d.LastSeen.IsZero() {
		w.LastSeenAt = utc(d.LastSeen)
	}
	if !d.RevokedAt.IsZero() {
		w.RevokedAt = utc(d.RevokedAt)
	}
	return w
}

// Domain returns the device; the member is the caller.
func (w Device) Domain() (memory.Device, error) {
	id, err := served[memory.DeviceID]("dev_", w.ID)
	return memory.Device{
		ID: id, Name: fit(w.Name), OS: fit(w.OS), CreatedAt: w.CreatedAt, LastSeen: w.LastSeenAt, RevokedAt: w.RevokedAt,
		RevokedFor: memory.EndReason(fit(w.RevokedFor)),
	}, err
}

// Version is the answer to GET /version.
type Version struct {
	Version   string `json:"version"`
	API       int    `json:"api"`
	Instance  string `json:"instance"`
	MinClient string `json:"min_client,omitzero"`
}

// Health is the answer to GET /healthz and /readyz.
type Health struct {
	Status string `json:"status"`
}
