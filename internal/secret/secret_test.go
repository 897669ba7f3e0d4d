package secret

import (
	"strings"
	"testing"
)

// Made up; split so that no scanner takes this file for a leak.
var (
	github = "ghp_" + "a8Kd02LmQx71ZbT5uRwE93hVnYc4JsPf6GoI"
	jwt    = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
	pem    = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq9\nx81kQwZ\n-----END RSA " + "PRIVATE KEY-----"
)

func TestSecretsGoAndTheRestStays(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		n          int
	}{
		"plain text":               {"The token bucket refills each second.", "The token bucket refills each second.", 0},
		"a service's token":        {"use " + github + " here", "use [redacted] here", 1},
		"a private key":            {"a\n" + pem + "\nb", "a\n[redacted]\nb", 1},
		"a private key cut off":    {"a\n" + strings.TrimSuffix(pem, "-----END RSA PRIVATE KEY-----") + "zz", "a\n[redacted]", 1},
		"a web token":              {"cookie=" + jwt + "; x", "cookie=[redacted]; x", 1},
		"an authorization":         {"Authorization: Bearer abcDEF123456789", "Authorization: Bearer [redacted]", 1},
		"an address's password":    {"postgres://app:hunter2@db/x", "postgres://app:[redacted]@db/x", 1},
		"an assignment":            {"DB_PASSWORD=tiger-77 make", "DB_PASSWORD=[redacted] make", 1},
		"a JSON member":            {`{"apiKey": "q1w2e3r4"}`, `{"apiKey": "[redacted]"}`, 1},
		"a flag":                   {"login --token abcd1234", "login --token [redacted]", 1},
		"a service's token in one": {"GITHUB_TOKEN=" + github, "GITHUB_TOKEN=[redacted]", 1},
		"code":                     {"password: process.env.DB_PASSWORD, token = getToken()", "password: process.env.DB_PASSWORD, token = getToken()", 0},
		"a template":               {"API_KEY=${KEY} TOKEN=<token>", "API_KEY=${KEY} TOKEN=<token>", 0},
		"an example":               {"SECRET=your-secret-here", "SECRET=your-secret-here", 0},
		"two":                      {"password=aaaaaa1 secret: bbbbbb2", "password=[redacted] secret: [redacted]", 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, n := Redact(c.text)
			if got != c.want || n != c.n {
				t.Errorf("%q, %d; want %q, %d", got, n, c.want, c.n)
			}
			if again, n := Redact(got); again != got || n != 0 {
				t.Errorf("again: %q, %d", again, n)
			}
		})
	}
}

func FuzzRedactIsStable(f *testing.F) {
	for _, s := range []string{pem, github, jwt, "password=[redacted]", "a://b:c@d", "token: \"token: \"secret=aaaaaaa", "--token=secret=abcdef"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, n := Redact(s)
		if n == 0 && once != s {
			t.Fatalf("%q became %q without a find", s, once)
		}
		for range 8 { // what a redaction brings together may be a find of its own
			next, n := Redact(once)
			if n == 0 {
				return
			}
			once = next
		}
		t.Fatalf("%q does not come to rest", s)
	})
}
