package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLimitsOfWhatOnePersonDecides(t *testing.T) {
	load := func(text string) (*Config, error) {
		path := filepath.Join(t.TempDir(), "nodrop.toml")
		const rest = "\n[[gateway]]\nname = \"sandbox\"\npreset = \"sandbox\"\nmode = \"test\"\nwebhook_secrets = [\"a\"]\napi_key = \"b\"\n"
		if err := os.WriteFile(path, []byte("[limits]\n"+text+rest), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(path, Env{ReadFile: os.ReadFile, Getenv: os.LookupEnv})
	}
	for text, want := range map[string]string{
		`approve_above = "50000 PHP"`:              `["50000.00 PHP"]`,
		`approve_above = ["1000.50 USD", "0 KWD"]`: `["0.000 KWD", "1000.50 USD"]`,
		`approve_above = ["7000 JPY"]`:             `["7000 JPY"]`,
		`refused_keep = 7`:                         `[]`,
		`approve_above = []`:                       `[]`,
	} {
		c, err := load(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := c.Limits.ApproveAbove.String(); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{`approve_above = "50000"`, `approve_above = "PHP 50000"`, `approve_above = ["1 PHP", "2 PHP"]`, `approve_above = ["-1 PHP"]`, `approve_above = 50000`, `approve_above = ["1 XYZ"]`} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), "approve_above") {
			t.Errorf("%s is not refused by its name: %v", text, err)
		}
	}
}
