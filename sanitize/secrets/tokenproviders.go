package secrets

import "strings"

const (
	uuid = `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`
	// jsonHead is how base64 of a JSON object begins.
	jsonHead = `eyJ`
)

// The forms are those that providers document, as far as they do, or that the
// open rules of gitleaks, kingfisher and GitHub's list of supported secrets name.

// hostTokenRules are of code hosts, registries of packages and builds.
func hostTokenRules() []ownRule {
	return []ownRule{
		azureDevOpsToken(),
		token("atlassian-account-token", `3[A-Za-z0-9_=-]{180,200}`, "ATA", "TT"),
		random("bitbucket-app-password", `ATBB[0-9A-Za-z]{32}`, "atbb"),
		form("buildkite-token", `bk(?:ua|aj|ct)_[0-9A-Za-z]{40}`, "bkua_", "bkaj_", "bkct_"),
		form("circleci-token", `CCIP(?:AT|RJ)_[0-9A-Za-z]{20,24}_[0-9a-f]{40}`, "ccipat_", "cciprj_"),
		random("crates-io-token", `cio[0-9A-Za-z]{32}`, "cio"),
		token("docker-hub-token", `(?:p|o)at_[\w-]{27,32}`, "dckr", "_"),
		random("nuget-api-key", `oy2[a-z0-9]{43}`, "oy2"),
		form("pypi-test-token", `pypi-AgENdGVzdC5weXBp[\w-]{50,1000}`, "pypi-agendgvzdc5wexbp"),
		form("sonarqube-token", `sq[pau]_[0-9a-f]{40}`, "sqp_", "sqa_", "squ_"),
		random("chief-tools-token", `ct[opr]_[0-9A-Za-z]{30,40}`, "cto_", "ctp_", "ctr_"),
		form("gitbook-token", `gb_api_[0-9A-Za-z]{40}`, "gb_api_"),
		random("lichess-token", `li[op]_[0-9A-Za-z]{20}`, "lip_", "lio_"),
		form("packagist-token", `packagist_(?:ac[ks]|[a-z]{3}|org_[a-z]{4,6})_[0-9a-f]{28,96}`, "packagist_"),
		form("postman-collection-key", `PMAT-[0-9A-Z]{26}`, "pmat-"),
		random("endor-labs-key", `endr\+[0-9A-Za-z-]{16}`, "endr+"),
		form("socket-dev-token", `sktsec_[\w-]{36,60}_api`, "sktsec_"),
		form("sourcegraph-gateway-token", `s(?:gd|lk)_[0-9a-f]{64}`, "sgd_", "slk_"),
		random("thunderstore-token", `tss_[0-9A-Za-z]{40}`, "tss_"),
		form("wakatime-api-key", `waka_`+uuid, "waka_"),
	}
}

// azureDevOpsToken has its mark inside.
func azureDevOpsToken() ownRule {
	mark := strings.Join([]string{"AZ", "DO"}, "")
	return form("azure-devops-token", `[0-9A-Za-z]{76}`+mark+`[0-9A-Za-z]{4}`, strings.ToLower(mark))
}

// cloudTokenRules are of clouds, databases and networks.
func cloudTokenRules() []ownRule {
	return []ownRule{
		form("aiven-password", `AVNS_[\w-]{19}`, "avns_"),
		form("amazon-marketplace-token", `amzn\.mws\.`+uuid, "amzn.mws."),
		random("aws-appsync-key", `da2-[0-9a-z]{26}`, "da2-"),
		form("axiom-token", `xa[ap]t-`+uuid, "xaat-", "xapt-"),
		form("baidu-cloud-key", `bce-v3/ALTAK-[0-9A-Za-z]{21}/[0-9a-f]{40}`, "bce-v3/"),
		form("castai-api-key", `castai_v1_[0-9A-Za-z]{64}_[0-9A-Za-z]{8}`, "castai_v1_"),
		form("cloudflare-prefixed-token", `cf(?:at|ut|k)_[0-9A-Za-z]{40,60}`, "cfat_", "cfut_", "cfk_"),
		form("cockroachdb-api-key", `CCDB1_[0-9A-Za-z]{22}_[0-9A-Za-z]{40}`, "ccdb1_"),
		random("deno-deploy-token", `dd[op]_[0-9A-Za-z]{36}`, "ddp_", "ddo_"),
		form("elastic-cloud-key", `essu_[\w-]{60,200}={0,2}`, "essu_"),
		form("doppler-token", `dp\.(?:ct|pt|sa|scim|st)\.(?:[\w-]{2,35}\.)?[0-9A-Za-z]{40,44}`, "dp.ct.", "dp.pt.", "dp.sa.", "dp.scim.", "dp.st."),
		token("google-client-secret", `-[\w-]{28}`, "GOC", "SPX"),
		form("google-ai-key", `AQ\.Ab8[\w-]{40,60}`, "aq.ab8"),
		form("google-hmac-key", `GOOG(?:1E[A-Z0-9]{55}|[A-Z0-9]{20})`, "goog"),
		token("google-oauth-token", `\.[\w-]{60,400}`, "ya", "29"),
		random("infisical-token", `st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}`, "st."),
		random("ionic-token", `ion_[0-9A-Za-z]{42}`, "ion_"),
		form("mongodb-atlas-secret", `mdb_sa_sk_[\w-]{40}`, "mdb_sa_sk_"),
		form("neon-api-key", `napi_[a-z0-9]{60,70}`, "napi_"),
		form("netlify-token", `nf[bcopu]_[0-9A-Za-z]{36,40}`, "nfb_", "nfc_", "nfo_", "nfp_", "nfu_"),
		random("render-api-key", `rnd_[0-9A-Za-z]{28,36}`, "rnd_"),
		token("supabase-access-token", `_(?:oauth_)?[0-9a-f]{40}`, "sb", "p"),
		token("supabase-secret-key", `secret_[\w-]{31}`, "sb", "_"),
		token("tailscale-key", `(?:auth|api|client|scim|webhook)-[0-9A-Za-z]{8,24}-?[0-9A-Za-z]{20,48}`, "tsk", "ey-"),
		form("tencent-secret-id", `AKID[0-9A-Za-z]{32}`, "akid"),
		random("upcloud-token", `ucat_[0-9A-Za-z]{24,32}`, "ucat_"),
		random("trigger-dev-key", `tr_(?:dev|prod|stg|preview|pat)_[0-9A-Za-z]{20,40}`, "tr_dev_", "tr_prod_", "tr_stg_", "tr_preview_", "tr_pat_"),
		random("unkey-root-key", `unkey_[0-9A-Za-z]{20,32}`, "unkey_"),
		form("vercel-token", `vc[aikpr]_[0-9A-Za-z]{24,64}`, "vca_", "vci_", "vck_", "vcp_", "vcr_"),
		random("xata-api-key", `xau_[0-9A-Za-z]{33,44}`, "xau_"),
		random("yandex-cloud-key", `AQVN[\w-]{35,38}`, "aqvn"),
		random("yandex-iam-token", `t1\.[\w-]{40,300}={0,2}\.[\w-]{86}={0,2}`, "t1."),
		random("yandex-oauth-token", `y[0-3]_[\w-]{55,60}`, "y0_", "y1_", "y2_", "y3_"),
		form("zuplo-api-key", `zpka_[0-9a-z]{32}_[0-9a-f]{8}`, "zpka_"),
	}
}

// modelTokenRules are of services around language models.
func modelTokenRules() []ownRule {
	return []ownRule{
		token("anthropic-oauth-token", `(?:oa|or)t01-[\w-]{80,120}`, "sk-", "ant-"),
		form("apify-token", `apify_(?:api|proxy)_[0-9A-Za-z]{34,40}`, "apify_api_", "apify_proxy_"),
		form("browserbase-api-key", `bb_(?:live|test)_[\w-]{27}`, "bb_live_", "bb_test_"),
		form("cerebras-api-key", `csk-[a-z0-9]{48}`, "csk-"),
		form("cursor-api-key", `crsr_[0-9a-f]{64}`, "crsr_"),
		random("brave-search-key", `BSA[\w-]{24,40}`, "bsa"),
		form("devin-api-key", `apk_(?:user_)?[0-9A-Za-z+/]{80,180}={0,2}`, "apk_"),
		random("devin-service-token", `cog_[a-z2-7]{52}`, "cog_"),
		form("e2b-api-key", `e2b_[0-9a-f]{40}`, "e2b_"),
		random("firecrawl-api-key", `fc-[0-9a-f]{32}`, "fc-"),
		random("fireworks-api-key", `fw_[0-9A-Za-z]{22,24}`, "fw_"),
		token("groq-api-key", `_[0-9A-Za-z]{52}`, "gs", "k"),
		form("jina-api-key", `jina_[\w-]{58,64}`, "jina_"),
		token("langsmith-api-key", `_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`, "lsv", "2"),
		form("llamacloud-api-key", `llx-[0-9A-Za-z]{48}`, "llx-"),
		random("mem0-api-key", `m0-[0-9A-Za-z]{40}`, "m0-"),
		token("nvidia-api-key", `-[\w-]{60,80}`, "nva", "pi"),
		token("openrouter-api-key", `v1-[0-9a-f]{64}`, "sk-", "or-"),
		form("pinecone-api-key", `pcsk_[0-9A-Za-z]{4,8}_[0-9A-Za-z]{50,70}`, "pcsk_"),
		token("replicate-api-token", `_[0-9A-Za-z]{37}`, "r", "8"),
		form("runpod-api-key", `rpa_[0-9A-Za-z]{40,50}`, "rpa_"),
		// Many services took over the prefix, each with a middle part of its own.
		random("secret-key-token", `sk[-_](?:[a-z]{2,12}(?:[-_]?v?\d{1,2})?[-_]){0,2}(?:`+uuid+`|[0-9A-Za-z]{32,200})`, "sk-", "sk_"),
		form("tavily-api-key", `tvly-(?:dev-|prod-)?[0-9A-Za-z-]{32,40}`, "tvly-"),
		form("together-api-key", `tgp_v\d_[\w-]{40,48}`, "tgp_v"),
		random("voyage-api-key", `(?:pa|al)-[\w-]{43}`, "pa-", "al-"),
		token("xai-api-key", `-[0-9A-Za-z]{80}`, "xa", "i"),
	}
}

// serviceTokenRules are of payment, mail, chat, monitoring and the rest.
func serviceTokenRules() []ownRule {
	return []ownRule{
		form("adafruit-io-key", `aio_[0-9A-Za-z]{28}`, "aio_"),
		random("airtable-token", `pat[0-9A-Za-z]{14}\.[0-9a-f]{64}`, "pat"),
		form("asana-token", `[12]/1\d{13,15}(?:/1\d{13,15})?:[0-9a-f]{32}`, "1/1", "2/1"),
		form("bitwarden-machine-token", `0\.`+uuid+`\.[0-9A-Za-z]{30}:[0-9A-Za-z+/]{22}==`, "0."),
		form("braintree-access-token", `access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`, "access_token$"),
		form("brevo-smtp-key", `xsmtpsib-[0-9a-f]{64}-[0-9A-Za-z]{16}`, "xsmtpsib-"),
		random("cal-com-api-key", `cal_(?:live_)?[0-9A-Za-z]{32}`, "cal_"),
		random("canva-client-secret", `cnvca[\w-]{51}`, "cnvca"),
		form("contentful-management-token", `CFPAT-[\w-]{43}`, "cfpat-"),
		random("devcycle-key", `dvc_(?:server|mobile|client)_[\w-]{32,64}`, "dvc_server_", "dvc_mobile_", "dvc_client_"),
		discordWebhook(),
		random("dropbox-access-token", `sl\.(?:u\.)?[\w-]{100,800}`, "sl."),
		token("figma-token", `[dour]_[\w-]{40}`, "fi", "g"),
		form("flutterwave-live-key", `FLWSECK-[0-9a-f]{32}(?:-[0-9a-f]{1,16}vt)?-X`, "flwseck-"),
		form("honeycomb-key", `hc[abcx][il]k_[0-9a-z]{40,64}`, "hcaik_", "hcbik_", "hccik_", "hcxik_", "hcalk_", "hcblk_", "hcclk_", "hcxlk_"),
		form("hubspot-app-token", `pat-(?:na|eu|ap)\d-`+uuid, "pat-na", "pat-eu", "pat-ap"),
		form("inngest-signing-key", `signkey-(?:prod|test|branch)-[0-9a-f]{64}`, "signkey-"),
		form("intercom-token", `dG9rO[g-v][0-9A-Za-z+/=]{50,60}`, "dg9ro"),
		form("launchdarkly-key", `(?:sdk|mob)-`+uuid, "sdk-", "mob-"),
		form("linear-oauth-token", `lin_oauth_[0-9a-f]{64}`, "lin_oauth_"),
		form("mailchimp-key", `[0-9a-f]{32}-us\d{1,2}`, "-us"),
		form("mailersend-token", `mlsn\.[0-9a-f]{64}`, "mlsn."),
		form("mapbox-secret-token", `sk\.`+jsonHead+`[\w-]{40,200}\.[\w-]{20,24}`, "sk.eyj"),
		form("midtrans-server-key", `Mid-server-[\w-]{24}`, "mid-server-"),
		form("new-relic-insert-key-token", `NRI[IQ]-[\w-]{32}`, "nrii-", "nriq-"),
		form("new-relic-licence", `[0-9a-f]{36}NRAL`, "nral"),
		token("new-relic-user-key", `-[A-Z0-9]{27}`, "NR", "AK"),
		random("nightfall-api-key", `NF-[0-9A-Za-z]{32}`, "nf-"),
		random("notion-internal-secret", `secret_[0-9A-Za-z]{43}`, "secret_"),
		form("onfido-token", `api_(?:live|sandbox)(?:_[a-z]{2})?\.[\w-]{11}\.[\w-]{32}`, "api_live", "api_sandbox"),
		form("persona-api-key", `persona_(?:production|sandbox)_`+uuid, "persona_production_", "persona_sandbox_"),
		form("plaid-access-token", `access-(?:production|development|sandbox)-`+uuid, "access-production-", "access-development-", "access-sandbox-"),
		random("polar-token", `polar_(?:oat|pat|at_[ou]|rt_[ou]|whs)_[0-9A-Za-z]{32,64}`, "polar_"),
		form("posthog-personal-key", `ph[xs]_[0-9A-Za-z]{40,50}`, "phx_", "phs_"),
		form("pubnub-secret-key", `sec-c-[0-9A-Za-z+/=_-]{40,60}`, "sec-c-"),
		form("ramp-secret", `ramp_(?:sec|tok)_[0-9A-Za-z]{48}`, "ramp_sec_", "ramp_tok_"),
		random("resend-api-key", `re_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}`, "re_"),
		form("rootly-api-key", `rootly_[0-9a-f]{64}`, "rootly_"),
		form("samsara-token", `samsara_api_[0-9A-Za-z]{30}`, "samsara_api_"),
		random("secret-token-url", `secret-token:[\w.~%-]{16,200}`, "secret-token:"), // RFC 8959
		form("segment-token", `sgp_[\w-]{64}`, "sgp_"),
		form("sentry-organisation-token", `sntrys_`+jsonHead+`[0-9A-Za-z+/]{40,400}={0,2}_[0-9A-Za-z+/]{43}`, "sntrys_"),
		form("slack-session-cookie", `xoxd-[\w/%+-]{100,400}={0,2}`, "xoxd-"),
		form("slack-session-token", `xoxc-(?:\d{9,15}-){3}[0-9a-f]{64}`, "xoxc-"),
		form("square-oauth-secret", `sq0csp-[\w-]{43}`, "sq0csp-"),
		random("statsig-secret", `secret-[0-9A-Za-z]{43}`, "secret-"),
		token("stripe-webhook-secret", `_[0-9A-Za-z+/]{32,64}`, "whs", "ec"),
		form("stytch-secret", `secret-(?:live|test)-[\w-]{35}=`, "secret-live-", "secret-test-"),
		random("telegram-bot-token", `\d{8,10}:AA[\w-]{32,33}`, ":aa"),
		random("telnyx-api-key", `KEY0[0-9A-F]{31}_[0-9A-Za-z]{22}`, "key0"),
		form("twitter-app-token", `A{21}[0-9A-Za-z]{20,80}%3D[0-9A-Za-z%]{30,80}`, strings.Repeat("a", 21)),
		form("typeform-token", `tfp_[\w-]{40,60}`, "tfp_"),
		form("ubidots-token", `BBFF-[0-9A-Za-z]{30}`, "bbff-"),
	}
}

func discordWebhook() ownRule {
	r := form("discord-webhook", `[\w-]{60,80}`, "/webhooks/")
	r.pattern.left = `discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{16,20}/`
	r.window = within(160)
	return r
}
