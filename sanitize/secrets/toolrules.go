package secrets

// toolRules are for command lines, headers and files that have a place for a
// secret: that it stands there gives it away.
func toolRules() []ownRule {
	return []ownRule{
		{
			id: "password-flag", keywords: []string{"--pass", "-password", "sshpass", "mysql", "machine"},
			pattern: pattern{core: `(?i)(?:-pass(?:word|wd)?[ \t=]{1,4}|\bsshpass[ \t]+-p[ \t]*|` +
				`\bmysql(?:dump|admin)?\b[^\n|]{0,80}?[ \t]-p|` +
				`\bmachine[ \t]+\S+[ \t]+login[ \t]+\S+[ \t]+password[ \t]+)["']?` + spelled},
			window: within(240), keep: keepPassword,
		},
		{
			id: "login-flag", keywords: []string{"redis-cli", "mongo", "docker login", "podman login", "registry login", "htpasswd"}, group: 1,
			pattern: pattern{core: `(?i)\b(?:redis-cli\b[^\n|]{0,120}?[ \t]-a|mongo(?:sh|dump|restore)?\b[^\n|]{0,120}?[ \t]-p|` +
				`(?:docker|podman|registry)[ \t]+login\b[^\n|]{0,120}?[ \t]-p|htpasswd[ \t]+-\w*b\w*(?:[ \t]+\S+){2})[ \t=]{1,3}["']?` + spelled},
			window: within(260), keep: keepProse,
		},
		{
			id: "token-flag", keywords: []string{"authtoken", "-token", "-key", "-secret"}, group: 1,
			pattern: pattern{core: `(?i)(?:authtoken|--?[\w-]{0,24}(?:token|key|secret))[ \t=]{1,3}["']?([\w+/=.~-]{20,200})`},
			window:  within(260), keep: keepDense,
		},
		{
			id: "bearer-token", keywords: []string{"bearer", "authorization"}, group: 1,
			pattern: pattern{core: `(?i)\b(?:bearer|authorization["']?[ \t]*[:=][ \t]*["']?(?:basic|token|bearer|apikey|key|ssws|splunk))[ \t]+` +
				`(?:token=)?["'\x60*]{0,3}([\w=~.+/:-]{16,400})`},
			window: within(440), keep: keepProse,
		},
		{
			id: "session-cookie", keywords: []string{"cookie"}, group: 1,
			pattern: pattern{core: `(?i)cookie["']?[ \t]*[:=,]?[ \t]*["']?(?:[\w.-]{1,40}=[^;\s"']{0,200};[ \t]*){0,4}[\w.-]{1,40}=([\w.%+/~-]{24,400})`},
			window:  within(700), keep: keepDense,
		},
		{
			id: "pgpass-line", keywords: []string{":5432:", ":5433:", ":6432:", ":*:"}, group: 1,
			pattern: pattern{core: `[\w.*-]{1,120}:(?:543[23]|6432|\*):[\w*-]{1,63}:[\w*-]{1,63}:([^\s"'\x60|<>]{8,96})`},
			window:  within(300), keep: keepPassword,
		},
		{
			id: "twilio-auth-token", keywords: []string{"twilio"}, group: 0,
			pattern: pattern{core: `(?i:twilio)[^\n]{0,160}?[^0-9A-Za-z]([0-9a-f]{32})(?:[^0-9A-Za-z]|$)|(?:^|[^0-9A-Za-z])([0-9a-f]{32})[^0-9A-Za-z][^\n]{0,160}?(?i:twilio)`},
			window:  besideRun(32), keep: keepGeneric,
		},
	}
}
