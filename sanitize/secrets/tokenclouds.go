package secrets

// azureMarked is a key of an Azure service that names it by a mark near its end.
func azureMarked() string {
	const long, short, word = `(?:ACDb|\+ASt|\+ABa)`, `(?:AzCa|AIoT|\+ASb|\+AEh)`, `(?:AzSe|\+ACR)`
	return `[0-9A-Za-z+/]{76}` + long + `[0-9A-Za-z+/]{6}==|[0-9A-Za-z+/]{33}` + short + `[0-9A-Za-z+/]{6}=` +
		`|[0-9A-Za-z+/]{42}` + word + `[0-9A-Za-z+/]{6}|[\w-]{44}AzFu[\w-]{6}(?:==)?`
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
		form("doppler-token", `dp\.(?:audit|ct|pt|sa|scim|st)\.(?:[\w-]{2,35}\.)?[0-9A-Za-z]{40,44}`, "dp.audit.", "dp.ct.", "dp.pt.", "dp.sa.", "dp.scim.", "dp.st."),
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
		form("azure-client-secret", `[\w~.]{3}\dQ~[\w~.-]{31,34}`, "q~"),
		form("azure-identifiable-key", azureMarked(), "acdb", "azse", "azfu", "azca", "aiot", "+acr", "+ast", "+aba", "+asb", "+aeh"),
		form("azure-common-key", `[0-9A-Za-z]{52}JQQJ99[0-9A-Za-z+/]{20,32}={0,2}`, "jqqj99"),
		form("configcat-sdk-key", `configcat-(?:sdk-1|proxy)/[\w-]{22,80}(?:/[\w-]{22})?`, "configcat-sdk-1/", "configcat-proxy/"),
		random("databricks-client-secret", `dose[0-9a-f]{32}`, "dose"),
		form("defined-networking-key", `dnkey-[\w=-]{26}-[\w=-]{52}`, "dnkey-"),
		form("dynatrace-platform-token", `dt0s\d{2}\.[0-9A-Z]{8,24}\.[0-9A-Z]{64}`, "dt0s"),
		random("exoscale-api-key", `EXO[0-9a-f]{24,30}`, "exo"),
		random("google-refresh-token", `1//0[\w-]{40,120}`, "1//0"),
		form("jd-cloud-key", `JDC_[0-9A-Z]{28}`, "jdc_"),
		form("lambda-cloud-key", `secret_[0-9a-z-]{1,40}_[0-9a-f]{32}\.[0-9A-Za-z]{32}`, "secret_"),
		form("vault-recovery-token", `hvr\.[\w-]{90,300}`, "hvr."),
		random("volcengine-key-id", `AK(?:LT|TP)[0-9A-Za-z]{40,46}`, "aklt", "aktp"),
		form("appwrite-api-key", `(?:dynamic|standard)_[0-9a-f]{200,520}`, "dynamic_", "standard_"),
		form("cloudflare-tunnel-token", jsonHead+`hIjoi[0-9A-Za-z]{100,300}={0,2}`, "eyjhijoi"),
		form("daytona-api-key", `dtn_[0-9a-f]{64}`, "dtn_"),
		form("firebase-messaging-key", `AAAA[\w-]{7}:APA91b[\w-]{130,150}`, ":apa91b"),
		form("k3s-token", `K10[0-9a-f]{64}::[\w-]{1,40}:[0-9A-Za-z.]{16,120}`, "k10"),
		random("netbird-token", `nbp_[0-9A-Za-z]{36}`, "nbp_"),
		random("ory-token", `ory_(?:ac|apikey|at|pat|rt|st)_[\w.-]{32,120}`, "ory_"),
		random("portainer-token", `ptr_[0-9A-Za-z+/]{43}=?`, "ptr_"),
		form("proxmox-api-token", `PVEAPIToken=[\w.@-]{1,60}![\w-]{1,60}=`+uuid, "pveapitoken="),
		form("rancher-token", `(?:kubeconfig|token)-[0-9a-z.-]{3,40}:[0-9a-z]{54}`, "kubeconfig-", "token-"),
		weak("scaleway-key-id", `SCW[0-9A-Z]{17}`, "scw"),
	}
}
