package memory

// What waits for somebody, proposals and conflicts, is shown to whoever may
// decide on it, and to its author.

// shows reports whether the principal sees what waits of a member.
func (v ProjectView) shows(who Principal, author MemberID) bool {
	return v.Role >= RoleReviewer || author == who.Member
}

// narrow restricts a list to what the principal sees: all of one author's, or
// everybody's with "". It reports whether anything can be left.
func (v ProjectView) narrow(who Principal, author *MemberID) bool {
	if v.Role >= RoleReviewer {
		return true
	}
	if *author == "" {
		*author = who.Member
	}
	return *author == who.Member && who.Member != ""
}
