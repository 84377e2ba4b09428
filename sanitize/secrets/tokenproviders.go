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
		form("atlassian-account-token", `AT[AC]TT3[0-9A-Za-z_=-]{150,220}`, "atatt3", "atctt3"),
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
		form("aikido-token", `AIK_(?:CI|SECRET)_[0-9A-Za-z]{20,64}`, "aik_ci_", "aik_secret_"),
		form("chromatic-project-token", `chpt_[0-9a-f]{12,20}`, "chpt_"),
		form("deepsource-token", `dsp_[0-9a-f]{40}`, "dsp_"),
		form("depot-token", `depot_(?:org|project|user)_[0-9a-f]{64}`, "depot_org_", "depot_project_", "depot_user_"),
		form("gitlab-workspace-token", `glwt-[\w-]{20,64}`, "glwt-"),
		form("open-vsx-token", `ovsx(?:at|p)_`+uuid, "ovsxat_", "ovsxp_"),
		form("percy-token", `(?:app|auto|ss|vmw|web)_[0-9a-f]{64}`, "app_", "auto_", "ss_", "vmw_", "web_"),
		form("snyk-service-token", `snyk_(?:sat|uat)\.[0-9A-Za-z]{8}\.[\w-]{30,120}`, "snyk_sat.", "snyk_uat."),
		form("teamcity-token", jsonHead+`0eXAiOiAiVENWMiJ9\.[\w-]{36}\.[\w-]{48}`, "0exaioiaivenwmij9."),
		random("bitbucket-data-center-token", `BBDC-[0-9A-Za-z+/@]{44}`, "bbdc-"),
		form("trello-token", `ATTA[0-9a-f]{72}`, "atta"),
		form("veracode-api-key", `vera01[a-z]{2}-[0-9a-f]{64,128}`, "vera01"),
	}
}

// azureDevOpsToken has its mark inside.
func azureDevOpsToken() ownRule {
	mark := strings.Join([]string{"AZ", "DO"}, "")
	return form("azure-devops-token", `[0-9A-Za-z]{76}`+mark+`[0-9A-Za-z]{4}`, strings.ToLower(mark))
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
		form("arcjet-key", `ajkey_[0-9A-Za-z]{26}`, "ajkey_"),
		weak("composio-api-key", `[ac]k_[\w-]{20}`, "ak_", "ck_"),
		form("context7-api-key", `ctx7sk-`+uuid, "ctx7sk-"),
		form("cursor-admin-key", `key_(?:[0-9a-f]{64}|[0-9a-f]{128})`, "key_"),
		form("helicone-api-key", `sk-helicone-(?:[0-9a-z]{7}-){3}[0-9a-z]{7}`, "sk-helicone-"),
		weak("hyperbrowser-api-key", `hb_[0-9a-f]{28,32}`, "hb_"),
		form("luma-api-key", `luma-`+uuid+`-`+uuid, "luma-"),
		form("meta-app-token", `(?:LLM\|\d{10,20}\|[\w-]{27}|OC\|\d{10,20}\|[0-9a-f]{32})`, "llm|", "oc|"),
		weak("mintlify-api-key", `mint_(?:dsc_)?[0-9A-Za-z]{22,40}`, "mint_"),
		weak("modal-token", `a[ks]-[0-9A-Za-z]{22}`, "ak-", "as-"),
		random("zapier-actions-key", `sk-ak-[0-9A-Za-z]{22,30}`, "sk-ak-"),
		form("langsmith-legacy-key", `ls__[0-9a-f]{32}`, "ls__"),
		form("neptune-api-token", jsonHead+`hcGlfYWRkcmVzcyI6[0-9A-Za-z+/]{60,400}={0,2}`, "eyjhcglfywrkcmvzcyi6"),
		random("openai-session", `sess-[0-9A-Za-z]{40}`, "sess-"),
		weak("retell-api-key", `key_[0-9a-f]{28,32}`, "key_"),
		short("secret-key-short", `sk[-_](?:[a-z]{2,12}[-_]){0,2}[0-9A-Za-z]{20,31}`, "sk-", "sk_"),
	}
}
