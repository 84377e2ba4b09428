package secrets

import "strings"

// hostTokens are of code hosts, registries of packages and builds.
func hostTokens() []shape {
	return []shape{
		is("gitlab pipeline trigger", "glptt-<h40>"),
		is("gitlab deploy token", "gldt-<u20>"),
		is("gitlab feed token", "glft-<u20>"),
		is("gitlab agent", "glagent-<u50>"),
		is("gitlab oauth secret", "gloas-<h64>"),
		is("gitlab job token", "glcbt-<h2>_<b20>"),
		is("gitlab runner registration", "GR1348941<u20>"),
		is("bitbucket app password", "ATBB<b24><h8>"),
		is("rubygems", "rubygems_<h48>"),
		is("nuget", "oy2<l43>"),
		is("crates.io", "cio<b32>"),
		is("clojars", "CLOJARS_<h60>"),
		is("test pypi", "pypi-AgENdGVzdC5weXBpLm9yZw<u70>"),
		is("artifactory api key", "AKCp<b69>"),
		is("artifactory reference token", "cmVmdGtu<b56>"),
		is("docker organisation token", "dckr_oat_<u32>"),
		is("circleci personal", "CCIPAT_<b22>_<h40>"),
		is("buildkite", "bkua_<h40>"),
		is("sonarqube", "squ_<h40>"),
		is("sourcegraph", "sgp_<h40>"),
		is("postman", "PMAK-<h24>-<h34>"),
		is("pulumi", "pul-<h40>"),
		is("codeium-like named token", "acme_pat_<b40>"),
	}
}

// cloudTokens are of clouds, databases and networks.
func cloudTokens() []shape {
	return []shape{
		is("aws temporary key id", "ASIA<t16>"),
		is("google oauth secret", "GOCSPX-<u28>"),
		is("google hmac key", "GOOG1E<U55>"),
		is("alibaba key id", "LTAI<b20>"),
		is("tencent secret id", "AKID<b32>"),
		is("digitalocean oauth", "doo_v1_<h64>"),
		is("digitalocean refresh", "dor_v1_<h64>"),
		is("heroku", "HRKU-AA<u58>"),
		is("render", "rnd_<b32>"),
		is("netlify", "nfp_<b36>"),
		is("vercel gateway", "vck_<b56>"),
		is("fly.io", "fo1_<u43>"),
		is("cloudflare origin", "v1.0-<h24>-<h146>"),
		is("databricks", "dapi<h32>"),
		is("neon", "napi_<l64>"),
		is("planetscale password", "pscale_pw_<u43>"),
		is("mongodb atlas", "mdb_sa_sk_<u40>"),
		is("doppler personal", "dp.pt.<b43>"),
		is("doppler service", "dp.st.prd.<b43>"),
		is("vault batch", "hvb.<u140>"),
		is("infisical", "st.<h24>.<h32>.<h32>"),
		is("dynatrace", "dt0c01.<U24>.<U64>"),
		is("prefect", "pnu_<l36>"),
		is("scalingo", "tk-us-<u48>"),
		is("azure event hub", "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=<B43>="),
		is("azure function url", "https://acme.azurewebsites.net/api/run?code=<u54>=="),
		is("cloudinary url", "cloudinary://<d15>:<u27>@acme"),
	}
}

// modelTokens are of services around language models.
func modelTokens() []shape {
	return []shape{
		is("openai service account", "sk-svcacct-<u74>T3Blbk"+"FJ<u74>"),
		is("openai admin", "sk-admin-<u58>T3Blbk"+"FJ<u58>"),
		is("deepseek", "sk-<h32>"),
		is("moonshot", "sk-<b48>"),
		is("cerebras", "csk-<l48>"),
		is("fireworks", "fw_<b24>"),
		is("together", "tgp_v1_<u43>"),
		is("elevenlabs", "sk_<h48>"),
		is("pinecone", "pcsk_<b6>_<b63>"),
		is("langfuse", "sk-lf-<h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("tavily", "tvly-dev-<b32>"),
		is("firecrawl", "fc-<h32>"),
		is("jina", "jina_<h32><u28>"),
		is("voyage", "pa-<u43>"),
		is("e2b", "e2b_<h40>"),
		is("runpod", "rpa_<U42>"),
		is("apify", "apify_api_<b36>"),
		is("hugging face organisation", "api_org_<L34>"),
		is("replicate", "r8_<b37>"),
	}
}

// serviceTokens are of payment, mail, chat, monitoring and the rest.
func serviceTokens() []shape {
	return []shape{
		is("slack user", "xoxp-<d12>-<d12>-<d12>-<h32>"),
		is("slack configuration", "xoxe.xoxp-1-<b166>"),
		is("stripe test", "sk_test_<b24>"),
		is("paystack", "sk_live_<h40>"),
		is("shopify custom app", "shpca_<h32>"),
		is("shopify shared secret", "shpss_<h32>"),
		is("square oauth", "sq0csp-<u43>"),
		is("paypal braintree", "access_token$production$<l16>$<h32>"),
		is("flutterwave", "FLWSECK-<h32>-X"),
		is("easypost", "EZAK<h54>"),
		is("shippo", "shippo_live_<h40>"),
		is("brevo", "xkeysib-<h64>-<b16>"),
		is("brevo smtp", "xsmtpsib-<h64>-<b16>"),
		is("resend", "re_<b8>_<b24>"),
		is("mailersend", "mlsn.<h64>"),
		is("mailchimp", "<h32>-us14"),
		is("mailgun signed", "<h32>-<h8>-<h8>"),
		is("new relic licence", "<h36>NRAL"),
		is("new relic insert", "NRII-<u32>"),
		is("sentry organisation", "sntrys_eyJpYXQiOjE2<B90>_<B43>"),
		is("grafana cloud", "glc_eyJv<B90>"),
		is("honeycomb ingest", "hcaik_<l58>"),
		is("posthog", "phx_<b43>"),
		is("launchdarkly sdk", "sdk-<h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("linear oauth", "lin_oauth_<h64>"),
		is("notion legacy", "secret_<b43>"),
		is("airtable", "pat<b14>.<h64>"),
		is("hubspot", "pat-na1-<h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("typeform", "tfp_<u44>_<b14>"),
		is("contentful", "CFPAT-<u43>"),
		is("dropbox", "sl.<u136>"),
		is("mapbox", "sk.eyJ1Ijoi<b60>.<u22>"),
		is("plaid", "access-production-<h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("readme", "rdme_<l70>"),
		is("duffel", "duffel_live_<u43>"),
		is("frame.io", "fio-u-<u64>"),
		is("twitter bearer", "AAAAAAAAAAAAAAAAAAAAA<b60>%3D<b40>"),
		is("telegram", "<d10>:AA<u33>"),
		is("teams webhook", "https://acme.webhook.office.com/webhookb2/<h8>-<h4>-4<h3>-a<h3>-<h12>@<h8>-<h4>-4<h3>-a<h3>-<h12>/IncomingWebhook/<h32>/<h8>-<h4>-4<h3>-a<h3>-<h12>"),
		is("zapier-like hook", "https://hooks.slack.com/triggers/T<U10>/<d13>/<h32>"),
		is("1password secret key", "A3-<U6>-<U11>-<U5>-<U5>-<U5>"),
		is("1password service account", "ops_eyJ<B250>"),
		is("bitwarden machine account", "0.<h8>-<h4>-4<h3>-a<h3>-<h12>.<b30>:<B22>=="),
	}
}

// keyBlocks are private keys in their files' formats.
func keyBlocks() []shape {
	return []shape{
		{"pkcs8", func(g generator) string { return g.pem("PRIVATE KEY", 24) }},
		{"encrypted pkcs8", func(g generator) string { return g.pem("ENCRYPTED PRIVATE KEY", 24) }},
		{"dsa", func(g generator) string { return g.pem("DSA PRIVATE KEY", 9) }},
		{"openvpn static key", func(g generator) string {
			rule := strings.Repeat("-", 5)
			return rule + "BEGIN OpenVPN Static key V1" + rule + "\n" + strings.Repeat(g.random("h", 32)+"\n", 16) + rule + "END OpenVPN Static key V1" + rule
		}},
		{"putty", func(g generator) string {
			return g.fill("PuTTY-User-Key-" + "File-3: ssh-ed25519\nEncryption: none\nComment: kim\nPublic-Lines: 2\n<B64>\n<B16>\nPrivate-" + "Lines: 1\n<B47>=\nPrivate-" + "MAC: <h64>")
		}},
		is("wireguard", "[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = <B42>o="),
		is("jwk", `{"kty":"EC","crv":"P-256","x":"<u43>","y":"<u43>","d":"<u43>"}`),
		is("age in a file", "# created: 2025-05-01\nAGE-SECRET-"+"KEY-1<a58>"),
	}
}
