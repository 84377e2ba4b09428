package secrets

import "testing"

// TestScan_Habits holds further ways in which people write credentials down.
// Most of them are told from words by chance, so a few may pass.
func TestScan_Habits(t *testing.T) {
	t.Parallel()
	const seeds, least = 10, 8
	for _, s := range []shape{
		is("bare", "password is <b16>"), is("colon", "Password: <p14>"), is("quoted", "the root password is `<p14>`"),
		is("short label", "pw: <b14>"), is("env", "DB_PASS=<b16>"), is("direct", "Use password <b16> for staging."),
		is("german", "Passwort ist <b16>"), is("json", "{\"password\":\"<p16>\"}"), is("xml", "<password><b16></password>"),
		is("header of a column", "| Host | User | Password |\n|:-----|:----:|---------:|\n| a | b | c |\n| d | e | `<b16>` |"),
		is("token column", "| service | token |\n|---|---|\n| ci | <h40> |"), is("pair", "credentials: admin:<b16>"),
		is("flag", "run it with --password <b16>"), is("sshpass", "sshpass -p <b16> ssh host"), is("mysql", "mysql -uroot -p<b16>"),
		is("netrc", "machine api.example.com login kim password <b16>"), is("django", "SECRET_KEY='<p50>'"),
		is("redis", "redis://:<b20>@cache:6379"), is("jdbc", "jdbc:postgresql://db/x?user=a&password=<b16>"),
		is("aws pair", "Our AWS key pair is AKIA<t16> / <B40>"), is("aws after", "<B40> is the aws secret"),
		is("bearer", "Authorization: Bearer <b40>"), is("api key in prose", "api key is <b32>"), is("dash", "Token — `<b40>`"),
		is("bold label", "**Token:** <b40>"), is("header", "x-api-key: <b32>"), is("full stop", "npm_<b36>."),
		is("bracket", "(sk-ant-api03-<u93>AA)"), is("glued aws", "_AKIA<t16>_"), is("escaped", "ghp\\_<b36>"),
		is("broken with a backslash", "ghp_<b20>\\\n<b16>"), is("broken in a quotation", "> ghp_<b20>\n> <b16>"),
		is("azure devops", "<b76>AZ"+"DO<b4>"), is("service sas", "?sv=1&sig=<b20>%2B<b20>%3D&x=1"),
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for seed := range uint64(seeds) {
				if len(scan(t, intro+s.text(newGenerator(seed+50))+outro)) > 0 {
					found++
				}
			}
			if found < least {
				t.Errorf("%d of %d found, want at least %d", found, seeds, least)
			}
		})
	}
}
