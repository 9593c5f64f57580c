package config

import (
	"time"
)

const day = 24 * time.Hour

// What holds where the file says nothing.
const (
	DefaultData              = "nodrop.db"
	DefaultTimezone          = "UTC"
	DefaultLanguage          = "en"
	DefaultPublicListen      = ":8080" // ":443" with a hostname
	DefaultPrivateListen     = "127.0.0.1:8081"
	DefaultTLSListen         = ":443"
	DefaultChallengeListen   = ":80"
	DefaultDirectory         = "https://acme-v02.api.letsencrypt.org/directory" // Let's Encrypt, "ACME endpoint"
	DefaultShopTimeout       = 15 * time.Second
	DefaultClaimTimeout      = 15 * time.Minute
	DefaultQueryConcurrency  = 4
	DefaultGiveUpAfter       = 48 * time.Hour
	DefaultUnregistered      = "review"
	DefaultSourceNetworks    = "off"
	DefaultUnregisteredAfter = time.Hour
	DefaultSettlementGrace   = 3 * day
	DefaultReconcileSchedule = "*/10 * * * *"
	DefaultMaxBody           = 1 << 20 // bytes
	DefaultMaxReport         = 256 << 20
	DefaultRefusedKeep       = 200 // for each gateway and reason
	DefaultRefusedAge        = 14 * day
)

// DefaultQueryRate is what a gateway is asked at most: five times a second.
func DefaultQueryRate() Rate { return Rate{Count: 5, Per: time.Second} }

// DefaultQuerySchedule is when a payment is asked about, from its creation.
func DefaultQuerySchedule() []time.Duration {
	return []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}
}

// Default is the configuration of a server that was given no file: loopback and the
// sandbox gateway, which shares the two secrets with the simulated gateway.
func Default(webhookSecret, apiKey string) *Config {
	return &Config{
		Data: DefaultData, Timezone: time.UTC, Language: DefaultLanguage,
		Public:  Public{Listen: "127.0.0.1:8080"},
		Private: Private{Listen: DefaultPrivateListen},
		ACME:    ACME{Listen: DefaultChallengeListen, Directory: DefaultDirectory},
		Shop:    Shop{Timeout: DefaultShopTimeout, ClaimTimeout: DefaultClaimTimeout},
		Gateways: []Gateway{{
			Name: "sandbox", Preset: "sandbox", Mode: "test",
			WebhookSecrets:    []TimedSecret{{Value: NewSecret(webhookSecret)}},
			APIKey:            NewSecret(apiKey),
			QueryRate:         DefaultQueryRate(),
			QueryConcurrency:  DefaultQueryConcurrency,
			QuerySchedule:     DefaultQuerySchedule(),
			GiveUpAfter:       DefaultGiveUpAfter,
			Unregistered:      DefaultUnregistered,
			SourceNetworks:    DefaultSourceNetworks,
			UnregisteredAfter: DefaultUnregisteredAfter,
			SettlementGrace:   DefaultSettlementGrace,
		}},
		Jobs:   Jobs{ReconcileSchedule: DefaultReconcileSchedule},
		Limits: Limits{MaxBody: DefaultMaxBody, MaxReport: DefaultMaxReport, RefusedKeep: DefaultRefusedKeep, RefusedAge: DefaultRefusedAge},
	}
}
