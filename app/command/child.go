package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// child is a server that runs as a process of its own. It ends when its standard
// input does, so that it never outlives us.
type child struct {
	process *exec.Cmd
	input   io.WriteCloser
	log     string        // path
	ended   chan struct{} // closed when the process is gone
	result  error         // of the process; to be read once ended is closed
}

// start runs a command with one more argument, its output into a file.
func start(command []string, argument, log string, env []string) (*child, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write the server's log: %w", err)
	}
	defer out.Close()
	c := &child{process: exec.Command(command[0], append(command[1:len(command):len(command)], argument)...), log: log, ended: make(chan struct{})}
	c.process.Env, c.process.Stdout, c.process.Stderr = env, out, out
	if c.input, err = c.process.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	if err := c.process.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		c.result = c.process.Wait()
		close(c.ended)
	}()
	return c, nil
}

// readyWithin is how long a server may take to start.
const readyWithin = 15 * time.Second

// ready waits until the server says that it takes requests.
func (c *child) ready(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		if answers(ctx, url) {
			return nil
		}
		select {
		case <-c.ended:
			return fmt.Errorf("the server ended instead of starting:\n%s", c.tail())
		case <-ctx.Done():
			return fmt.Errorf("the server does not become ready: %w\n%s", ctx.Err(), c.tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// kill ends the process at once, as a power cut does.
func (c *child) kill() error {
	select {
	case <-c.ended:
		return fmt.Errorf("the server ended by itself:\n%s", c.tail())
	default:
	}
	if err := c.process.Process.Kill(); err != nil {
		return fmt.Errorf("kill the server: %w", err)
	}
	<-c.ended
	return nil
}

// stopWithin is how long an orderly stop may take.
const stopWithin = 30 * time.Second

// stop has the process end in order and waits for it; one that is gone already or never came is no error.
func (c *child) stop() error {
	if c == nil {
		return nil
	}
	_ = c.input.Close() // fails only when the process has gone
	select {
	case <-c.ended:
	case <-time.After(stopWithin):
		_ = c.process.Process.Kill()
		<-c.ended
		return errors.New("the server did not stop in order and was killed")
	}
	var exit *exec.ExitError
	if errors.As(c.result, &exit) && exit.ExitCode() > 0 {
		return fmt.Errorf("the server ended with an error:\n%s", c.tail())
	}
	return nil
}

// tail gives the end of the server's log.
func (c *child) tail() string { return tailOf(c.log) }
