package memory

import "context"

// Cursors returns where the feed of every project stands that the principal
// may read.
func (s *Service) Cursors(ctx context.Context, who Principal) (map[ProjectID]Cursor, error) {
	if err := allow(who, RoleMaintainer, ScopeRead); err != nil {
		return nil, err
	}
	all, err := s.store.Cursors(ctx, who.Member)
	if err != nil {
		return nil, err
	}
	seen := map[ProjectID]Cursor{}
	for _, c := range all {
		role := roleIn(who, Project{DefaultRole: c.DefaultRole}, c.Role, c.Given)
		if reached := who.Project == "" || who.Project == c.Project; reached && role >= minimumRole(ScopeRead) {
			seen[c.Project] = c.At
		}
	}
	return seen, nil
}
