package secrets

import "strings"

// shape is one way in which a credential is written down.
type shape struct {
	name string
	text func(g generator) string
}

// shapes returns the 91 shapes that the scanner is measured by.
func shapes() []shape {
	var all []shape
	for _, group := range [][]shape{
		cloudShapes(), hostShapes(), chatShapes(), modelShapes(), serviceShapes(), keyShapes(), passwordShapes(), disguisedShapes(),
	} {
		all = append(all, group...)
	}
	return all
}

// is makes a shape of a template.
func is(name, template string) shape {
	return shape{name, func(g generator) string { return g.fill(template) }}
}

func cloudShapes() []shape {
	return []shape{
		is("aws key id in prose", "The key id AKIA<t16> belongs to the deploy user."),
		is("aws secret as env", "AWS_SECRET_ACCESS_KEY=<B40>"),
		is("aws secret in prose", "The AWS secret for staging is <B40> until rotation."),
		is("aws bedrock key", "Use ABSK<B132> for the model."),
		is("google api key", "maps key: AIza<u35>"),
		{"google service account", func(g generator) string {
			key := strings.ReplaceAll(g.pem("PRIVATE KEY", 12), "\n", `\n`)
			return `{"type": "service_account", "private_key": "` + key + `\n", "client_email": "ci@project.iam.gserviceaccount.com"}`
		}},
		is("azure ad client secret", "client_secret = \"<b3>8Q~<b34>\""),
		is("azure storage connection string", "DefaultEndpointsProtocol=https;AccountName=media;AccountKey=<B86>==;EndpointSuffix=core.windows.net"),
		is("azure sas", "https://media.blob.core.windows.net/c?sv=2022-11-02&se=2030-01-01&sr=c&sp=rl&sig=<b42>%3D"),
		is("azure devops", "AZURE_DEVOPS_PAT=<l52>"),
		is("digitalocean", "doctl uses dop_v1_<h64>"),
		is("cloudflare token", "CLOUDFLARE_API_TOKEN=<u40>"),
		is("terraform cloud", "token = \"<b14>.atlasv1.<u67>\""),
	}
}

func hostShapes() []shape {
	return []shape{
		is("github classic", "token: ghp_<b36>"),
		is("github fine-grained", "github_pat_<b22>_<b59>"),
		is("github oauth", "gho_<b36>"),
		is("github app", "ghs_<b36>"),
		is("github refresh", "ghr_<b36>"),
		is("gitlab pat", "glpat-<u20>"),
		is("gitlab routable pat", "glpat-<u27>.<l2><l7>"),
		is("gitlab runner", "glrt-<b20>"),
		is("npm token", "npm_<b36>"),
		is("npmrc", "//registry.npmjs.org/:_authToken=<h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("pypi", "pypi-AgEIcHlwaS5vcmc<u70>"),
		is("docker hub", "docker login -u team -p dckr_pat_<u27>"),
	}
}

func chatShapes() []shape {
	return []shape{
		is("slack bot", "xoxb-<d12>-<d13>-<b24>"),
		is("slack app", "xapp-1-A<U10>-<d13>-<h64>"),
		is("slack webhook", "https://hooks.slack.com/services/T<U10>/B<U10>/<b24>"),
		is("discord bot", "DISCORD_TOKEN=M<b25>.G<b5>.<u38>"),
		is("discord webhook", "https://discord.com/api/webhooks/<d18>/<u68>"),
		is("telegram in prose", "The telegram bot token: <d10>:AA<u33>"),
		is("telegram as env", "TELEGRAM_BOT_TOKEN=<d10>:AA<u33>"),
		is("stripe live", "sk_live_<b24>"),
		is("stripe restricted", "rk_live_<b24>"),
		is("stripe webhook", "STRIPE_WEBHOOK=whsec_<b32>"),
		is("shopify", "shpat_<h32>"),
		is("square", "sq0atp-<u22>"),
	}
}

func modelShapes() []shape {
	return []shape{
		is("openai legacy", "sk-<b20>T3Blbk"+"FJ<b20>"),
		is("openai project", "sk-proj-<u74>T3Blbk"+"FJ<u73>A"),
		is("anthropic api", "sk-ant-api03-<u93>AA"),
		is("anthropic admin", "sk-ant-admin01-<u93>AA"),
		is("anthropic oauth", "sk-ant-oat01-<u93>AA"),
		is("openrouter", "sk-or-v1-<h64>"),
		is("groq", "gsk_<b52>"),
		is("xai", "xai-<b80>"),
		is("hugging face", "hf_<L34>"),
		is("perplexity", "pplx-<b48>"),
	}
}

func serviceShapes() []shape {
	return []shape{
		is("sendgrid", "SG.<u22>.<u43>"),
		is("twilio key", "SK<h32>"),
		is("twilio auth token", "TWILIO_AUTH_TOKEN=<h32>"),
		is("mailgun", "mailgun_key = \"key-<h32>\""),
		is("datadog api", "DD_API_KEY=<h32>"),
		is("datadog app", "datadog_app_key: <h40>"),
		is("grafana", "glsa_<b32>_<h8>"),
		is("vault", "hvs.<u95>"),
		is("linear", "lin_api_<b40>"),
		is("notion", "ntn_<d11><b35>"),
		is("figma", "figd_<u40>"),
		is("sentry", "sntryu_<h64>"),
		is("supabase", "sbp_<h40>"),
		is("planetscale", "pscale_tkn_<u43>"),
		is("tailscale", "tskey-auth-<b12>CNTRL-<b32>"),
		is("new relic", "NRAK-<U27>"),
		is("api_key in yaml", "service:\n  api_key: <b32>"),
		is("curl header", "curl -H \"Authorization: Bearer <b40>\" https://api.example.com/v1"),
		is("curl user", "curl -u deploy:<b20> https://api.example.com/v1"),
	}
}

func keyShapes() []shape {
	block := func(name, kind string, lines int) shape {
		return shape{name, func(g generator) string { return g.pem(kind, lines) }}
	}
	return []shape{
		block("rsa", "RSA PRIVATE KEY", 24),
		block("openssh", "OPENSSH PRIVATE KEY", 5),
		block("ec", "EC PRIVATE KEY", 3),
		block("pgp", "PGP PRIVATE KEY BLOCK", 30),
		is("age", "AGE-SECRET-KEY-1<a58>"),
		{"jwt", func(g generator) string {
			part := func(s string) string { return strings.TrimRight(toBase64(s), "=") }
			return part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"`+g.random("d", 10)+`"}`) + "." + g.random("u", 43)
		}},
	}
}

func passwordShapes() []shape {
	url := func(scheme, host string, n string) shape {
		return is(scheme+" url", scheme+"://app:<b"+n+">@"+host)
	}
	return []shape{
		url("postgres", "db.internal:5432/app", "20"),
		url("mysql", "db.internal:3306/app", "16"),
		url("mongodb+srv", "cluster0.mongodb.net/app", "24"),
		url("redis", "cache.internal:6379/0", "18"),
		url("amqp", "mq.internal:5672/", "14"),
		url("https", "git.example.com/team/app.git", "22"),
		is("password with punctuation", "DB_PASSWORD=<p16>"),
		is("password quoted", "password: \"<b16>\""),
		is("password in prose", "The password for the staging database is <b16>, ask Kim."),
		is("password in a table", "| system | user | password |\n|---|---|---|\n| staging | admin | <b16> |"),
		{"kubernetes secret", func(g generator) string {
			return "```yaml\napiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: " + toBase64(g.random("b", 18)) + "\n```"
		}},
	}
}

func disguisedShapes() []shape {
	token := func(g generator) string { return g.fill("ghp_<b36>") }
	made := func(name string, disguise func(token string) string) shape {
		return shape{name, func(g generator) string { return disguise(token(g)) }}
	}
	return []shape{
		made("in base64", toBase64),
		made("in hex", toHex),
		made("over two lines", func(t string) string { return "token: " + t[:20] + "\n" + t[20:] }),
		made("zero-width inside", func(t string) string { return t[:12] + "\u200b" + t[12:] }),
		made("fullwidth underscore", func(t string) string { return strings.Replace(t, "_", "\uff3f", 1) }),
		made("in backticks", func(t string) string { return "use `" + t + "` here" }),
		made("bold", func(t string) string { return "use **" + t + "** here" }),
		made("glued by underscores", func(t string) string { return "my_" + t + "_old" }),
	}
}
