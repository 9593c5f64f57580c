// Command nodrop keeps the payments of one shop: it takes in what the gateways say,
// asks them where they say nothing, and tells the shop. See README.md.
package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"nodrop/app"
	"nodrop/app/certs"
	"nodrop/app/command"
	"nodrop/app/config"
	"nodrop/store"
	"nodrop/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], command.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.LookupEnv, Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}))
}

// commands is the command line.
type commands struct {
	Config string `short:"c" placeholder:"FILE" help:"Configuration file; without it nodrop.toml, if there is one."`

	Serve   serveCommand   `cmd:"" help:"Run the appliance."`
	Demo    demoCommand    `cmd:"" help:"Play the whole thing with a simulated gateway and shop; nothing to configure."`
	Check   checkCommand   `cmd:"" help:"Validate the configuration: every fault with its line and what to write instead."`
	Explain explainCommand `cmd:"" help:"Read one captured HTTP request and say what nodrop would do with it; writes nothing."`
	Backup  backupCommand  `cmd:"" help:"Copy the database to a new file, also while it is served."`
	Restore restoreCommand `cmd:"" help:"Put a backup in the place of the database, which must not be served."`
	Import  importCommand  `cmd:"" help:"Compare a gateway's settlement report with the books, line by line."`
	User    struct {
		Add    userAddCommand    `cmd:"" help:"Let a person sign in; prints a one-time sign-up link."`
		Passwd userPasswdCommand `cmd:"" help:"Take a person's password away; prints a new sign-up link."`
		List   userListCommand   `cmd:"" help:"List who may sign in."`
	} `cmd:"" help:"The people of the admin pages."`
	Token struct {
		Add    tokenAddCommand    `cmd:"" help:"Make a token for the API; prints it once."`
		List   tokenListCommand   `cmd:"" help:"List the tokens."`
		Revoke tokenRevokeCommand `cmd:"" help:"End a token at once."`
	} `cmd:"" help:"The tokens of the API."`
	Version versionCommand `cmd:"" help:"Say which build this is."`

	DemoEngine demoEngineCommand `cmd:"" hidden:"" help:"The server of the demonstration; ends with its standard input."`
}

// call is what every command is given.
type call struct {
	command.Env
	ctx    context.Context
	config string
}

// run does what the arguments say and gives the exit status: 0 done, 1 the work found something wrong,
// 2 the call or the configuration is wrong.
func run(ctx context.Context, args []string, env command.Env) int {
	var line commands
	helped := -1
	parser, err := kong.New(&line, kong.Name("nodrop"), kong.Writers(env.Stdout, env.Stderr), kong.Exit(func(status int) { helped = status }),
		kong.Description("No paid order gets lost, none is fulfilled twice, and none is called failed because somebody timed out."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		panic(err) // the tags above are part of the program
	}
	chosen, err := parser.Parse(args)
	switch {
	case helped >= 0:
		return helped
	case err != nil:
		fmt.Fprintf(env.Stderr, "nodrop: %v; see nodrop --help\n", err)
		return 2
	}
	err = chosen.Run(&call{Env: env, ctx: ctx, config: line.Config})
	if err != nil && !errors.Is(err, command.ErrFound) {
		fmt.Fprintf(env.Stderr, "nodrop: %s\n", command.Text(err))
	}
	return command.Status(err)
}

type checkCommand struct {
	DB bool `name:"db" help:"Check the database too, however large it is."`
}

func (o checkCommand) Run(c *call) error { return c.Check(c.ctx, c.config, o.DB) }

type explainCommand struct {
	Gateway string `required:"" help:"Name of the configured gateway that it came from."`
	At      string `placeholder:"TIME" help:"When it came in, as 2031-03-07T09:15:00+08:00; now by default."`
	JSON    bool   `name:"json" help:"Print one JSON document."`
	File    string `arg:"" help:"Request line, headers, blank line, raw body; - reads standard input."`
}

func (o explainCommand) Run(c *call) error {
	return c.Explain(c.ctx, command.Explaining{Config: c.config, Gateway: o.Gateway, At: o.At, JSON: o.JSON, File: o.File})
}

type importCommand struct {
	Gateway string `required:"" help:"Name of the configured gateway whose report it is."`
	DryRun  bool   `help:"Say what would be found; store nothing."`
	JSON    bool   `name:"json" help:"Print one JSON document."`
	File    string `arg:"" help:"The report: CSV, TSV or XLSX, or one of them in a ZIP."`
}

func (o importCommand) Run(c *call) error {
	return c.Import(c.ctx, command.Importing{Config: c.config, Gateway: o.Gateway, DryRun: o.DryRun, JSON: o.JSON, File: o.File})
}

type backupCommand struct {
	Dest string `arg:"" help:"File to write; must not exist."`
}

func (o backupCommand) Run(c *call) error { return c.Backup(c.ctx, c.config, o.Dest) }

type restoreCommand struct {
	Src string `arg:"" help:"File that nodrop backup wrote."`
}

func (o restoreCommand) Run(c *call) error { return c.Restore(c.ctx, c.config, o.Src) }

type userAddCommand struct {
	Name string `arg:"" help:"Name to sign in with."`
	Role string `enum:"viewer,operator,admin" default:"operator" help:"What the person may do: ${enum}."`
}

func (o userAddCommand) Run(c *call) error { return c.AddUser(c.ctx, c.config, o.Name, o.Role) }

type userPasswdCommand struct {
	Name string `arg:"" help:"Whose password."`
}

func (o userPasswdCommand) Run(c *call) error { return c.ResetUser(c.ctx, c.config, o.Name) }

type userListCommand struct{}

func (userListCommand) Run(c *call) error { return c.Users(c.ctx, c.config) }

type tokenAddCommand struct {
	Name string `arg:"" help:"Who will use it."`
}

func (o tokenAddCommand) Run(c *call) error { return c.AddToken(c.ctx, c.config, o.Name) }

type tokenListCommand struct{}

func (tokenListCommand) Run(c *call) error { return c.Tokens(c.ctx, c.config) }

type tokenRevokeCommand struct {
	Name string `arg:"" help:"Name of the token."`
}

func (o tokenRevokeCommand) Run(c *call) error { return c.RevokeToken(c.ctx, c.config, o.Name) }

type versionCommand struct{}

func (versionCommand) Run(c *call) error {
	_, err := fmt.Fprintln(c.Stdout, command.Version())
	return err
}

type demoCommand struct {
	Payments int    `default:"200" help:"How many payments to play."`
	Seed     uint64 `default:"1" help:"The same seed plays the same stories."`
	Exit     bool   `help:"End by itself instead of keeping the admin pages open."`

	Within time.Duration `default:"25s" hidden:"" help:"Compare at the latest after this time."`
}

func (o demoCommand) Run(c *call) error {
	switch {
	case o.Payments < 1:
		return command.Wrong("--payments %d: give at least 1", o.Payments)
	case c.config != "":
		fmt.Fprintln(c.Stderr, "nodrop: the demo makes a configuration of its own; -c is not read")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the own program: %w", err)
	}
	return c.Demonstrate(c.ctx, command.Demo{Payments: o.Payments, Seed: o.Seed, Exit: o.Exit, Within: o.Within, Server: []string{self, "demo-engine", "-c"}})
}

type demoEngineCommand struct{}

// Run serves until standard input ends, so that the server never outlives the demonstration.
func (demoEngineCommand) Run(c *call) error {
	ctx, cancel := context.WithCancel(c.ctx)
	go func() {
		_, _ = io.Copy(io.Discard, c.Stdin)
		cancel()
	}()
	c.ctx = ctx
	return serve(c, command.DemoPace())
}

type serveCommand struct{}

func (serveCommand) Run(c *call) error { return serve(c, app.DefaultPace()) }

// gcPercent lets the heap grow further between collections than Go does by itself: a tenth more acknowledgements
// a second for a few megabytes. GOGC in the environment wins.
const gcPercent = 200

// serve runs the appliance until ctx ends, then stops it in order.
func serve(c *call, pace app.Pace) (err error) {
	if _, set := c.Getenv("GOGC"); !set {
		debug.SetGCPercent(gcPercent)
	}
	cfg, err := c.Load(c.config)
	if err != nil {
		return err
	}
	data := config.DefaultData
	if cfg != nil {
		data = cfg.Data
	}
	db, err := store.Open(c.ctx, data, store.Options{Serve: true, Log: c.Log, Now: c.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if cfg == nil {
		if cfg, err = c.Sandbox(c.ctx, db); err != nil {
			return err
		}
	}
	a := &appliance{db: db, log: c.Log}
	if a.engine, err = app.New(app.Options{Store: db, Config: cfg, Now: c.Now, Random: c.Random, Log: c.Log, Pace: pace}); err != nil {
		return err
	}
	if a.certs, err = c.Certificates(c.ctx, cfg, db); err != nil {
		return err
	}
	a.web = web.New(web.Options{Engine: a.engine, Log: c.Log, Certificates: a.certs.Statuses})
	a.sockets = a.plan(cfg)
	if err := a.listen(); err != nil {
		return err
	}
	public, private := a.sockets[0], a.sockets[0]
	if !cfg.OneListener() {
		private = a.sockets[1]
	}
	c.Announce(cfg, public.Addr().String(), private.Addr().String())
	return a.run(c.ctx)
}

// appliance is a server with all that it serves from.
type appliance struct {
	db      *store.DB
	engine  *app.Engine
	certs   *certs.Keeper
	web     *web.Server
	log     *slog.Logger
	sockets []*socket // public, private unless they share one, and the one for challenges
}

// socket is an address with what is served there.
type socket struct {
	net.Listener
	address string
	tls     *tls.Config // nil: plain HTTP
	server  *http.Server
}

func (s *socket) serve() error {
	if s.tls == nil {
		return s.server.Serve(s.Listener)
	}
	return s.server.ServeTLS(s.Listener, "", "")
}

// plan says what is served where.
func (a *appliance) plan(cfg *config.Config) []*socket {
	public, private := a.web.Public(), a.web.Private()
	var list []*socket
	if cfg.OneListener() {
		list = append(list, a.socket(cfg.Public.Listen, web.ByName(cfg.Private.Hostname, private, public), "public", "private"))
	} else {
		list = append(list, a.socket(cfg.Public.Listen, public, named("public", cfg.Public.Hostname)...), a.socket(cfg.Private.Listen, private, named("private", cfg.Private.Hostname)...))
	}
	if cfg.ByACME() {
		list = append(list, a.socket(cfg.ACME.Listen, a.web.Challenges(a.certs.Answer)))
	}
	return list
}

// named is a listener that has certificates, or none.
func named(listener, host string) []string {
	if host == "" {
		return nil
	}
	return []string{listener}
}

// socket plans an address with the certificates of the named listeners; with none of them it speaks plain HTTP.
func (a *appliance) socket(address string, h http.Handler, listeners ...string) *socket {
	s := &socket{address: address}
	if len(listeners) > 0 {
		s.tls, h = a.certs.TLS(listeners...), web.Secure(h)
	}
	s.server = a.web.HTTPServer(h)
	s.server.TLSConfig = s.tls
	return s
}

func (a *appliance) listen() error {
	for i, s := range a.sockets {
		l, err := net.Listen("tcp", s.address)
		if err != nil {
			for _, open := range a.sockets[:i] {
				_ = open.Close()
			}
			remedy := "another program may have it: stop that, or give another port"
			if errors.Is(err, fs.ErrPermission) {
				remedy = "ports below 1024 need a right of their own: setcap cap_net_bind_service=+ep on the program, or AmbientCapabilities=CAP_NET_BIND_SERVICE in its systemd unit"
			}
			return fmt.Errorf("listen on %s: %w; %s", s.address, err, remedy)
		}
		s.Listener = l
	}
	return nil
}

// stopWithin bounds the orderly stop.
const stopWithin = 20 * time.Second

// run serves until ctx ends or something cannot go on. It stops in order: no new requests, the running ones
// answered, the loops ended; the caller closes the database.
func (a *appliance) run(ctx context.Context) error {
	loops, stopLoops := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLoops()
	ended := make(chan error, len(a.sockets))
	engine := make(chan error, 1)
	go func() { engine <- a.engine.Run(loops) }()
	var keeper sync.WaitGroup
	keeper.Go(func() { a.certs.Run(loops) })
	for _, s := range a.sockets {
		go func() { ended <- s.serve() }()
	}
	var cause error
	select {
	case <-ctx.Done():
		a.log.Info("stopping; once more stops at once")
	case <-a.db.Refused():
		cause = store.ErrRefusing
	case err := <-ended:
		cause = fmt.Errorf("the server cannot go on: %w", err)
	case err := <-engine:
		cause = fmt.Errorf("the engine has ended: %w", err)
		engine <- nil
	}
	a.web.BeginDrain()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := a.web.Wait(bounded); err != nil {
		a.log.Warn("requests were cut off", "error", err)
	}
	for _, s := range a.sockets {
		if s.server.Shutdown(bounded) != nil {
			_ = s.server.Close()
		}
	}
	stopLoops()
	keeper.Wait()
	return errors.Join(cause, <-engine)
}
