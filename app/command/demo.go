package command

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/app/sandbox"
)

// Demo is a call of Demonstrate.
type Demo struct {
	Payments int
	Seed     uint64
	Exit     bool          // end by itself
	Within   time.Duration // compare at the latest after it
	Server   []string      // the command that serves a configuration file named after it
}

// demoGiveUp is when the demonstration's payments are given up.
const demoGiveUp = 8 * time.Second

// DemoPace compresses the waits of the engine to those of the demonstration.
func DemoPace() app.Pace {
	p := app.DefaultPace()
	p.WorkRetry = 100 * time.Millisecond
	p.AskLease = 2 * time.Second
	p.AskRetry, p.AskRetryMax = 250*time.Millisecond, time.Second
	p.PauseAfter, p.Pause, p.PauseMax = 8, 100*time.Millisecond, 300*time.Millisecond
	p.SendRetries = []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, time.Second}
	p.ScanSlack = 2 * time.Second
	p.Keep = time.Second
	return p
}

// demo is a running demonstration.
type demo struct {
	env      *Env
	call     Demo
	folder   string // of everything it writes
	options  sandbox.Options
	password string // of the user demo
	public   string // host:port for the gateway
	private  string // host:port for the shop and for people
	shop     string // URL of the shop
	server   *child
}

// Demonstrate plays a whole run: a simulated gateway and shop around a real server,
// which is killed and started again in the middle, and compares the three at the end.
func (e *Env) Demonstrate(ctx context.Context, call Demo) error {
	folder, err := os.MkdirTemp("", "nodrop-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demonstration: %w", err)
	}
	d := &demo{env: e, call: call, folder: folder}
	err = d.play(ctx)
	if call.Exit && err == nil {
		return os.RemoveAll(folder)
	}
	e.print("The database and the log are kept in %s\n", folder)
	return err
}

func (d *demo) play(ctx context.Context) (err error) {
	listeners, err := d.places()
	if err != nil {
		return err
	}
	if err := d.settle(ctx); err != nil {
		return err
	}
	gateway, shop, closing, err := d.simulators(listeners)
	if err != nil {
		return err
	}
	defer closing()
	defer func() {
		if e := d.server.stop(); err == nil {
			err = e
		}
	}()
	if err := d.serve(ctx); err != nil {
		return err
	}
	d.env.print("%d payments, seed %d; the server is killed and started again in the middle\n\n", d.call.Payments, d.call.Seed)
	report, err := sandbox.Run(ctx, d.options, gateway, shop)
	if err != nil {
		return err
	}
	d.env.print("\n")
	if err := report.Write(d.env.Stdout); err != nil {
		return err
	}
	if err := d.reconcile(ctx, gateway); err != nil {
		return err
	}
	if !d.call.Exit {
		d.stay(ctx)
	}
	if err := d.audit(ctx); err != nil || report.OK() {
		return err
	}
	return ErrFound
}

// audit stops the server and looks for anything wrong in its database.
func (d *demo) audit(ctx context.Context) error {
	if err := d.server.stop(); err != nil {
		return err
	}
	c, err := d.env.locate(filepath.Join(d.folder, ConfigFile))
	if err != nil {
		return err
	}
	return d.env.checkRows(context.WithoutCancel(ctx), c)
}

// places finds an address for everybody, draws the secrets, and gives the listeners of gateway and shop.
func (d *demo) places() ([]net.Listener, error) {
	listeners, err := loopback(4)
	if err != nil {
		return nil, err
	}
	d.public, d.private = listeners[0].Addr().String(), listeners[1].Addr().String()
	_, _ = listeners[0].Close(), listeners[1].Close() // the server's own; free until it takes them
	d.shop = "http://" + listeners[3].Addr().String() + "/events"
	return listeners[2:], d.draw("http://" + listeners[2].Addr().String())
}

// simulators makes the gateway and the shop and serves them.
func (d *demo) simulators(listeners []net.Listener) (*sandbox.Gateway, *sandbox.Shop, func(), error) {
	gateway, err := sandbox.NewGateway(d.options)
	if err != nil {
		return nil, nil, nil, err
	}
	shop, err := sandbox.NewShop(d.options)
	if err != nil {
		return nil, nil, nil, err
	}
	servers := []*http.Server{{Handler: gateway, ReadHeaderTimeout: 5 * time.Second}, {Handler: shop, ReadHeaderTimeout: 5 * time.Second}}
	for i, s := range servers {
		go func() { _ = s.Serve(listeners[i]) }()
	}
	return gateway, shop, func() {
		gateway.Close()
		shop.Close()
		_, _ = servers[0].Close(), servers[1].Close()
	}, nil
}

// loopback opens listeners on free ports.
func loopback(n int) ([]net.Listener, error) {
	list := make([]net.Listener, n)
	for i := range list {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("listen on loopback: %w", err)
		}
		list[i] = l
	}
	return list, nil
}

// draw fills in the options of the simulators, secrets included.
func (d *demo) draw(gatewayURL string) error {
	d.options = sandbox.Options{
		Payments: d.call.Payments, Seed: d.call.Seed, Now: d.env.Now, GatewayName: "sandbox", GatewayURL: gatewayURL, GiveUpAfter: demoGiveUp, Deadline: d.call.Within,
		NodropAPI: "http://" + d.private, NodropHooks: "http://" + d.public + "/hooks/sandbox",
		Progress: d.env.Stdout, Midway: d.kill,
	}
	for _, to := range []*string{&d.options.HookSecret, &d.options.APIKey, &d.password} {
		var err error
		if *to, err = d.env.secret(15); err != nil {
			return err
		}
	}
	raw := make([]byte, 32)
	if _, err := io.ReadFull(d.env.Random, raw); err != nil {
		return fmt.Errorf("make a secret: %w", err)
	}
	d.options.ShopSecret = "whsec_" + base64.StdEncoding.EncodeToString(raw)
	return nil
}

// The variables that hand the demonstration's secrets to its server.
const (
	demoHookSecret = "NODROP_DEMO_HOOK_SECRET"
	demoAPIKey     = "NODROP_DEMO_API_KEY"
	demoShopSecret = "NODROP_DEMO_SHOP_SECRET"
)

// configuration is the file that the demonstration's server is given.
func (d *demo) configuration() string {
	return fmt.Sprintf(`data = %q

[public]
listen = %q

[private]
listen = %q

[shop]
url     = %q
secrets = ["env:`+demoShopSecret+`"]

[[gateway]]
name              = "sandbox"
preset            = "sandbox"
mode              = "test"
base_url          = %q
webhook_secrets   = ["env:`+demoHookSecret+`"]
api_key           = "env:`+demoAPIKey+`"
query_rate        = "200/s"
query_concurrency = 32
query_schedule    = ["300ms", "700ms", "1500ms", "2500ms", "3500ms", "4500ms", "5500ms", "6500ms", "7500ms"]
give_up_after     = "8s"
`, filepath.ToSlash(filepath.Join(d.folder, "nodrop.db")), d.public, d.private, d.shop, d.options.GatewayURL)
}

// settle writes the configuration, and gives the shop its token and the reader a way to sign in.
func (d *demo) settle(ctx context.Context) error {
	file := filepath.Join(d.folder, ConfigFile)
	if err := os.WriteFile(file, []byte(d.configuration()), 0o600); err != nil {
		return fmt.Errorf("write the demonstration's configuration: %w", err)
	}
	c := config.Default("", "")
	c.Data = filepath.Join(d.folder, "nodrop.db")
	engine, done, err := d.env.engine(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	if d.options.Token, err = engine.AddToken(ctx, "demo shop"); err != nil {
		return err
	}
	link, err := engine.AddUser(ctx, "demo", "admin")
	if err != nil {
		return err
	}
	_, err = engine.SignUp(ctx, link, d.password)
	return err
}

// serve starts the server and waits until it is ready.
func (d *demo) serve(ctx context.Context) error {
	env := append(os.Environ(), demoHookSecret+"="+d.options.HookSecret, demoAPIKey+"="+d.options.APIKey, demoShopSecret+"="+d.options.ShopSecret)
	server, err := start(d.call.Server, filepath.Join(d.folder, ConfigFile), filepath.Join(d.folder, "server.log"), env)
	if err != nil {
		return err
	}
	d.server = server
	return server.ready(ctx, "http://"+d.private+"/readyz")
}

// kill is the power cord pulled out and put in again.
func (d *demo) kill(ctx context.Context) error {
	d.env.print("        the server is killed …\n")
	if err := d.server.kill(); err != nil {
		return err
	}
	if err := d.serve(ctx); err != nil {
		return err
	}
	d.env.print("        … and runs again\n")
	return nil
}

// reconcile imports the gateway's settlement report of the day, as its merchant would in the evening. What differs in it
// is planted, or was so in the stories; it is looked at on the pages.
func (d *demo) reconcile(ctx context.Context, gateway *sandbox.Gateway) error {
	report, err := gateway.Statement()
	if err != nil {
		return fmt.Errorf("write the gateway's settlement report: %w", err)
	}
	file := filepath.Join(d.folder, sandbox.StatementName)
	if err := os.WriteFile(file, report, 0o600); err != nil {
		return fmt.Errorf("write the gateway's settlement report: %w", err)
	}
	d.env.print("\nThe gateway's settlement report of the day, with a few faults planted in it, against the books:\n")
	err = d.env.Import(ctx, Importing{Config: filepath.Join(d.folder, ConfigFile), Gateway: d.options.GatewayName, File: file})
	if errors.Is(err, ErrFound) {
		return nil
	}
	return err
}

// stay keeps everything open for a look until ctx ends.
func (d *demo) stay(ctx context.Context) {
	d.env.print("\nLook around: http://%s/\nSign in as demo with the password %s\nCtrl-C ends it.\n", d.private, d.password)
	select {
	case <-ctx.Done():
	case <-d.server.ended:
		d.env.note("nodrop: the server has ended by itself:\n%s\n", d.server.tail())
	}
	d.env.print("\n")
}

// tailOf gives the last lines of a file.
func tailOf(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}
