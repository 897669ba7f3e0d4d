package secret

import (
	"strings"
	"testing"
)

// Made up: every key is cut out of these, so that no scanner takes this file for
// a leak.
const (
	base62 = "q7Zt2LmXv9Rb4KcP1wYs8HdJ6gTfN3eQaU5oVxCi0MzBrWkEyGlAhSpDnFjOu7Kq2Lt9Xv4Zm"
	hexes  = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

func key(prefix string, n int) string { return prefix + base62[:n] }

// E46: what services and people call a secret goes, whole, and nothing beside it.
func TestSecretsOfEverySortAreTakenOut(t *testing.T) {
	pem := func(label string) string {
		return "-----BEGIN " + label + "-----\n" + base62[:64] + "\n" + base62[3:50] + "==\n-----END " + label + "-----"
	}
	escaped := strings.ReplaceAll(pem("PRIVATE"+" KEY"), "\n", `\n`) + `\n`
	for name, c := range map[string]struct{ text, secret string }{
		"an AWS access key":               {"key S here", "AKIA" + "Q7ZT2LMXV9RB4KCP"},
		"an AWS session key":              {"key S here", "ASIA" + "Q7ZT2LMXV9RB4KCP"},
		"an AWS secret in credentials":    {"aws_secret_access_key = S", base62[:37] + "/+a"},
		"an AWS secret in an environment": {"export AWS_SECRET_ACCESS_KEY=S", base62[:40]},
		"an AWS session token":            {"AWS_SESSION_TOKEN=S", "IQoJb3JpZ2luX2Vj" + base62[:60]},
		"a Google API key":                {"maps?key=S&x=1", key("AIza", 35)},
		"a Google client secret":          {`"client_secret":"S"`, key("GOCSPX-", 28)},
		"a Google access token":           {"use S now", key("ya29.", 60)},
		"a Google refresh token":          {"use S now", key("1//0", 40)},
		"a service account's key":         {`"private_key": "S`, strings.TrimSuffix(escaped, `\n`)},
		"an Azure account key":            {"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=S;EndpointSuffix=core", base62[:60] + "=="},
		"an Azure shared signature":       {"https://a.blob.example.net/c?sv=2024-01-01&sig=S&se=x", base62[:30] + "%2B" + base62[30:40]},
		"a GitHub token":                  {"S", key("ghp_", 36)},
		"a GitHub app's token":            {"S", key("ghs_", 36)},
		"a GitHub refresh token":          {"S", key("ghr_", 40)},
		"a fine-grained GitHub token":     {"S", key("github_pat_", 60)},
		"a GitHub token in an address":    {"git clone https://S@github.com/a/b", key("gho_", 36)},
		"a token that stands for a user":  {"git clone https://S@git.example.org/a", base62[:32]},
		"a GitLab token":                  {"S", key("glpat-", 20)},
		"a GitLab runner's token":         {"S", key("glrt-", 24)},
		"a Slack token":                   {"S", "xoxb-" + "123456789012-123456789012-" + base62[:24]},
		"a Slack user's token":            {"S", "xoxp-" + "123456789012-" + base62[:30]},
		"a Slack app's token":             {"S", "xapp-" + "1-A0123-" + base62[:40]},
		"a Slack webhook":                 {"https://hooks.slack.com/services/S", "T01234567/B01234567/" + base62[:24]},
		"a Discord webhook":               {"https://discord.com/api/webhooks/123456789012345678/S", base62[:60]},
		"a Telegram bot's token":          {"S", "123456789:AA" + base62[:33]},
		"a Stripe key":                    {"S", key("sk_"+"live_", 24)},
		"a Stripe test key":               {"S", key("sk_"+"test_", 24)},
		"a Stripe restricted key":         {"S", key("rk_"+"live_", 24)},
		"a webhook's secret":              {"S", key("whsec_", 32)},
		"a web token":                     {"cookie: S;", "eyJ" + base62[:20] + ".eyJ" + base62[:30] + "." + base62[:43]},
		"an RSA key":                      {"S", pem("RSA PRIVATE" + " KEY")},
		"a PKCS8 key":                     {"S", pem("PRIVATE" + " KEY")},
		"an encrypted key":                {"S", pem("ENCRYPTED PRIVATE" + " KEY")},
		"an SSH key":                      {"a\nS\nb", pem("OPENSSH PRIVATE" + " KEY")},
		"an EC key":                       {"S", pem("EC PRIVATE" + " KEY")},
		"a PGP key":                       {"S", pem("PGP PRIVATE" + " KEY BLOCK")},
		"a Postgres address":              {"postgres://app:S@db:5432/x", "hunter2"},
		"a Postgres address with an @":    {"postgresql://app:S@db/x", "hun@ter2"},
		"a Redis address without a user":  {"redis://:S@cache:6379", "hunter2"},
		"a MongoDB address":               {"mongodb+srv://app:S@c.example.net/?retryWrites=true", "hunter2"},
		"an AMQP address":                 {"amqp://guest:S@mq", "Tr0ub4dor&3"},
		"a basic-auth address":            {"curl https://ann:S@api.example.org/v1", "s3cr3t-pw"},
		"curl's user":                     {"curl -u ann:S https://api.example.org", "s3cr3t-pw"},
		"an authorization":                {"Authorization: Bearer S", base62[:24]},
		"a basic authorization":           {"Authorization: Basic S", "YW5uOnMzY3Iz" + "dC1wdw=="},
		"an npm token":                    {"S", key("npm_", 36)},
		"an npm registry's token":         {"//registry.example.org/:_authToken=S", "3f8a1b2c-77aa-4d3e-9c1f-0123456789ab"},
		"a PyPI token":                    {"S", key("pypi-AgEIcHlwaS5vcmc", 60)},
		"a RubyGems key":                  {"S", "rubygems_" + hexes[:48]},
		"a Docker token":                  {"S", key("dckr_pat_", 27)},
		"an OpenAI key":                   {"S", key("sk-proj-", 60)},
		"an older OpenAI key":             {"S", key("sk-", 48)},
		"an OpenAI service key":           {"S", key("sk-svcacct-", 60)},
		"an Anthropic key":                {"S", key("sk-ant-api03-", 70)},
		"a Hugging Face token":            {"S", key("hf_", 34)},
		"a SendGrid key":                  {"S", "SG." + base62[:22] + "." + base62[:43]},
		"a DigitalOcean token":            {"S", "dop_v1_" + hexes},
		"a Vault token":                   {"S", key("hvs.", 30)},
		"a Databricks token":              {"S", "dapi" + hexes[:32]},
		"a Terraform token":               {"S", base62[:14] + ".atlasv1." + base62[:60]},
		"an age key":                      {"S", "AGE-SECRET-KEY-1" + strings.ToUpper(base62[:58])},
		"a line of .env":                  {"PORT=8080\nDB_PASSWORD=S\nDEBUG=1", "Tr0ub4dor&3$x;y"},
		"a quoted line of .env":           {`DB_PASSWORD="S"`, "correct horse battery staple"},
		"a signing key in .env":           {"SECRET_KEY_BASE=S", hexes},
		"a key with words behind":         {"JWT_SECRET_KEY=S", "abcdef123456"},
		"a plain password":                {"SMTP_PASS=S", "tiger"},
		"a short name":                    {"PWD_DB=1\npwd=S", "tiger9"},
		"YAML":                            {"stringData:\n  password: S\n", "s3cr3t-pw"},
		"JSON":                            {`{"user": "ann", "apiKey": "S"}`, "q1w2e3r4"},
		"TOML":                            {"api_key = 'S'", "q1w2e3r4"},
		"Ruby":                            {`:secret_access_key => "S"`, "q1w2e3r4"},
		"Go":                              {`password := "S"`, "q1w2e3r4"},
		"a sentence":                      {"the password is in the vault, password: S", "swordfish"},
		"a flag":                          {"deploy --api-key=S --yes", "q1w2e3r4"},
		"a header":                        {"-H 'X-Api-Key: S'", "q1w2e3r4t5"},
		"a random string":                 {"we signed it with S yesterday", base62[:48]},
		"a random string with signs":      {"we signed it with S yesterday", base62[:20] + "+" + base62[20:38] + "/" + base62[40:60]},
	} {
		t.Run(name, func(t *testing.T) {
			in, want := strings.Replace(c.text, "S", c.secret, 1), strings.Replace(c.text, "S", Redacted, 1)
			if strings.HasPrefix(c.text, "DefaultEndpoints") || strings.Contains(c.text, "SECRET") || strings.Contains(c.text, "SMTP") || strings.Contains(c.text, "SESSION") || strings.Contains(c.text, "PASSWORD") {
				i := strings.LastIndex(c.text, "=S") + 1
				if j := strings.LastIndex(c.text, `="S`); j >= 0 {
					i = j + 2
				}
				in, want = c.text[:i]+c.secret+c.text[i+1:], c.text[:i]+Redacted+c.text[i+1:]
			}
			got, n := Redact(in)
			if got != want || n != 1 {
				t.Errorf("%q\nbecame %q, %d\nwant   %q, 1", in, got, n, want)
			}
		})
	}
}

// E46: what only looks like one stays.
func TestWhatIsNoSecretStays(t *testing.T) {
	picture := "iVBORw0KGgoAAAANSUhEUgAA" + strings.Repeat(base62+"+/", 12) + "=="
	for name, text := range map[string]string{
		"a commit":             "fixed in " + hexes[:40] + " (see " + hexes[:8] + ")",
		"a digest":             "image@sha256:" + hexes,
		"a UUID":               "session 3f8a1b2c-77aa-4d3e-9c1f-0123456789ab ended",
		"a picture in a page":  `<img src="data:image/png;base64,` + picture + `">`,
		"a short picture":      "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
		"a picture alone":      picture,
		"npm's lock file":      `"integrity": "sha512-` + base62[:60] + `+/` + base62[4:28] + `=="`,
		"a page's integrity":   `integrity="sha384-` + base62[:64] + `"`,
		"go.sum":               "github.com/a/b v1.2.3 h1:" + base62[:43] + "=",
		"go.sum's module":      "github.com/a/b v1.2.3/go.mod h1:" + base62[:43] + "=",
		"yarn's lock file":     "checksum: 10c0/" + hexes,
		"Cargo's lock file":    `checksum = "` + hexes + `"`,
		"poetry's lock file":   `{file = "a.whl", hash = "sha256:` + hexes + `"}`,
		"nix":                  "sha256-" + base62[:43] + "=",
		"a public SSH key":     "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + base62[:43] + " ann@host",
		"a certificate":        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"a public key":         "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"a key in words":       "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		"a long name in code":  "TestTheHookAtASessionsEndIsForWhoAsksIn2026 and parse_transcript_of_session_v2_into_turns",
		"a long path":          "services/billing/src/main/java/com/example/Billing2/InvoiceController3.java",
		"a long address":       "https://docs.example.org/Guides/2024/How-To-Configure-The-OAuth2-Client-In-Version-3",
		"code":                 "password: process.env.DB_PASSWORD, token = getToken(), secret: config.auth.secret",
		"types":                "interface Login { password: string; token: string | null; apiKey?: string }",
		"Go types":             "type Login struct { Password string; Token *string }",
		"a Python annotation":  "def login(password: str, token: Optional[str] = None)",
		"a variable":           "token: userToken, password = user_password, secret = SECRET_NAME",
		"templates":            "API_KEY=${KEY} TOKEN=<token> PASSWORD={{ .Values.pw }} SECRET=$SECRET KEY_TOKEN=%TOKEN%",
		"GitHub's secrets":     "NPM_TOKEN: ${{ secrets.NPM_TOKEN }}",
		"an example":           "SECRET=your-secret-here AWS_ACCESS_KEY_ID=AKIAIOSFODNN7" + "EXAMPLE PASSWORD=changeme",
		"stars":                "password=******** token: xxxxxxxx",
		"where it lies":        "PASSWORD_FILE=/run/secrets/db TOKEN_URL=https://a.example/token secret_name: billing-db",
		"counts":               "max_tokens: 200000, token_count=123456, tokens = 4096000, token limit: 128000",
		"the working folder":   "PWD=/home/ann/shop OLDPWD=/home",
		"talk of tokens":       "The token bucket refills; basic understanding of bearer authentication is enough. Token expiration: short-lived.",
		"talk of passwords":    "Password reset mails go out at night. The secret is to round late.",
		"an address":           "https://example.org:8443/a@b and mailto:ann@example.org",
		"a host and a port":    "redis://cache:6379/0 and postgres://db/x",
		"the user alone":       "ssh://git@github.com/a/b and https://ann@example.org",
		"a class":              "sk-circle-fade-dot sk-cube-grid-of-nine-cubes-that-fade-in-turn",
		"a table of hex":       "0x" + hexes + " " + strings.ToUpper(hexes),
		"a comparison":         "if password == other { } token === expectedToken",
		"an import":            `import { token } from "@example/token"; const secret = require("./secret")`,
		"a heading":            "## Token: how it works",
		"a flag's help":        "--password string   the password",
		"a time":               "2026-11-30T18:39:11.951Z 1796063951",
		"a regular expression": `pattern: \bpassword\s*=`,
		"a message":            `"error": "invalid token: expired"`,
		"already out":          "DB_PASSWORD=[redacted] and \"token\": \"[redacted]\"",
	} {
		t.Run(name, func(t *testing.T) {
			if got, n := Redact(text); got != text || n != 0 {
				t.Errorf("%q\nbecame %q, %d", text, got, n)
			}
		})
	}
}

// What a warning names is less than what redaction takes out.
func TestWarningsNameTheService(t *testing.T) {
	for text, want := range map[string]string{
		key("glpat-", 20): "a GitLab token",
		key("sk-", 48):    "an API key",
		"x\n-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\n\n" + base62: "a private key",
		"password=tiger-77": "",
		base62:              "",
	} {
		got := Find(text)
		if want == "" && len(got) != 0 || want != "" && (len(got) != 1 || got[0].What != want) {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
}
