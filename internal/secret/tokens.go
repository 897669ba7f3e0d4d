package secret

// tokens are the beginnings of keys that services hand out, with what follows
// them: how many characters at least.
var tokens = [...]token{
	{"AKIA", 16, "an AWS access key"},
	{"ASIA", 16, "an AWS access key"},
	{"ghp_", 30, "a GitHub token"},
	{"gho_", 30, "a GitHub token"},
	{"ghu_", 30, "a GitHub token"},
	{"ghs_", 30, "a GitHub token"},
	{"ghr_", 30, "a GitHub token"},
	{"github_pat_", 40, "a GitHub token"},
	{"glpat-", 20, "a GitLab token"},
	{"gldt-", 20, "a GitLab token"},
	{"glrt-", 20, "a GitLab token"},
	{"glcbt-", 20, "a GitLab token"},
	{"glptt-", 20, "a GitLab token"},
	{"ATATT3", 40, "an Atlassian token"},
	{"ATBB", 28, "a Bitbucket password"},
	{"sk-ant-", 30, "an Anthropic key"},
	{"sk-proj-", 30, "an OpenAI key"},
	{"sk-svcacct-", 30, "an OpenAI key"},
	{"sk-admin-", 30, "an OpenAI key"},
	{"sk-or-v1-", 40, "an OpenRouter key"},
	{"gsk_", 40, "a Groq key"},
	{"xai-", 40, "an xAI key"},
	{"pplx-", 40, "a Perplexity key"},
	{"r8_", 30, "a Replicate token"},
	{"hf_", 30, "a Hugging Face token"},
	{"sk_live_", 20, "a live payment key"},
	{"rk_live_", 20, "a live payment key"},
	{"sk_test_", 20, "a test payment key"},
	{"rk_test_", 20, "a test payment key"},
	{"whsec_", 24, "a webhook's secret"},
	{"shpat_", 30, "a Shopify token"},
	{"shpss_", 30, "a Shopify secret"},
	{"shpca_", 30, "a Shopify token"},
	{"sq0atp-", 20, "a Square token"},
	{"sq0csp-", 40, "a Square secret"},
	{"xoxb-", 20, "a Slack token"},
	{"xoxp-", 20, "a Slack token"},
	{"xoxa-", 20, "a Slack token"},
	{"xoxr-", 20, "a Slack token"},
	{"xoxs-", 20, "a Slack token"},
	{"xoxe-", 20, "a Slack token"},
	{"xapp-", 30, "a Slack token"},
	{"AIza", 35, "a Google API key"},
	{"GOCSPX-", 24, "a Google client secret"},
	{"ya29.", 40, "a Google access token"},
	{"npm_", 36, "an npm token"},
	{"pypi-", 40, "a PyPI token"},
	{"rubygems_", 40, "a RubyGems key"},
	{"dckr_pat_", 20, "a Docker token"},
	{"dckr_oat_", 20, "a Docker token"},
	{"SG.", 40, "a SendGrid key"},
	{"dop_v1_", 40, "a DigitalOcean token"},
	{"doo_v1_", 40, "a DigitalOcean token"},
	{"dapi", 32, "a Databricks token"},
	{"hvs.", 24, "a Vault token"},
	{"dp.pt.", 40, "a Doppler token"},
	{"lin_api_", 32, "a Linear key"},
	{"ntn_", 40, "a Notion token"},
	{"figd_", 30, "a Figma token"},
	{"glsa_", 32, "a Grafana token"},
	{"glc_", 40, "a Grafana token"},
	{"NRAK-", 27, "a New Relic key"},
	{"sntrys_", 40, "a Sentry token"},
	{"sntryu_", 40, "a Sentry token"},
	{"sbp_", 40, "a Supabase token"},
	{"sb_secret_", 20, "a Supabase key"},
	{"pscale_tkn_", 30, "a PlanetScale token"},
	{"pscale_pw_", 30, "a PlanetScale password"},
	{"PMAK-", 40, "a Postman key"},
	{"tskey-", 20, "a Tailscale key"},
	{"pul-", 40, "a Pulumi token"},
	{"AGE-SECRET-KEY-1", 50, "an age key"},
}

type token struct {
	prefix string
	least  int
	what   string
}

// dotted reports tokens whose parts are joined by dots.
func (t token) dotted() bool {
	switch t.prefix {
	case "SG.", "ya29.", "hvs.", "dp.pt.", "sntrys_", "ATATT3":
		return true
	}
	return false
}

// plainRun reports tokens of letters and digits alone, whose prefix other words
// begin with too.
func (t token) plainRun() bool { return t.prefix == "dapi" || t.prefix == "AKIA" || t.prefix == "ASIA" }
