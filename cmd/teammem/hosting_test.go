package main

import (
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/teammem/teammem/internal/testdb"
)

// composeFile is what we read of docker-compose.yml.
type composeFile struct {
	Services map[string]struct {
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		Secrets     []string          `yaml:"secrets"`
		Networks    yaml.Node         `yaml:"networks"` // names, or names with what they have in there
		Healthcheck struct {
			Test []string `yaml:"test"`
		} `yaml:"healthcheck"`
	} `yaml:"services"`
	Secrets map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
	Networks map[string]struct {
		Name     string `yaml:"name"`
		Internal bool   `yaml:"internal"`
	} `yaml:"networks"`
}

func readCompose(t *testing.T) (compose composeFile, text string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, &compose); err != nil {
		t.Fatal(err)
	}
	return compose, string(b)
}

// What docker-compose.yml says is run here without containers: the commands
// that make the secrets, the server with its command line and environment, and
// the health check.
func TestCompose_RunsAsWritten(t *testing.T) {
	t.Parallel()
	compose, text := readCompose(t)
	dir, service := t.TempDir(), compose.Services["server"]
	prepareCompose(t, dir, text)
	for _, name := range service.Secrets {
		if _, err := os.Stat(filepath.Join(dir, compose.Secrets[name].File)); err != nil {
			t.Errorf("the commands do not make the secret %s: %v", name, err)
		}
	}
	certify(t, filepath.Join(dir, "tls"), "memory.example.com")
	password, err := os.ReadFile(filepath.Join(dir, "secrets", "database_password"))
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	env := composeEnv(t, service.Environment, strings.NewReplacer(
		"/run/secrets/", filepath.Join(dir, "secrets")+"/", "/run/tls/", filepath.Join(dir, "tls")+"/",
		"0.0.0.0:8443", "0.0.0.0:"+port, "127.0.0.1:9464", "127.0.0.1:0",
		"postgres://teammem@postgres:5432/teammem?sslmode=disable", testdb.New(t),
	))
	s := startWatched(t, dir, env, service.Command[1:]...)
	if service.Command[0] != "serve" || s.url != "https://[::]:"+port && s.url != "https://0.0.0.0:"+port {
		t.Errorf("%v listens on %s", service.Command, s.url)
	}
	check := service.Healthcheck.Test
	if len(check) != 3 || check[0] != "CMD" || check[1] != "/usr/local/bin/teammem" {
		t.Fatalf("the health check is %v", check)
	}
	healthy := program(t.Context(), dir, check[2:]...)
	healthy.Env = append(healthy.Env, env...)
	if out, err := healthy.CombinedOutput(); err != nil {
		t.Errorf("the health check of a healthy server: %v: %s", err, out)
	}
	end(s.Cmd)
	dead := program(t.Context(), dir, check[2:]...)
	dead.Env = append(dead.Env, env...)
	if out, err := dead.CombinedOutput(); err == nil || !strings.Contains(string(out), "no server answers") {
		t.Errorf("the health check of no server: %v: %s", err, out)
	}
	for _, bad := range []string{"not known", "every user", strings.TrimSpace(string(password))} {
		if strings.Contains(s.log.String(), bad) {
			t.Errorf("the log holds %.20s: %s", bad, s.log)
		}
	}
}

// prepareCompose runs what the file's head says to run before its first start,
// but for the certificate, which is the operator's, and its rights, which take
// root.
func prepareCompose(t *testing.T, dir, text string) {
	t.Helper()
	var script strings.Builder
	for line := range strings.Lines(text) {
		command, found := strings.CutPrefix(line, "#   ")
		if found && !strings.HasPrefix(command, "cp ") && !strings.HasPrefix(command, "sudo ") && !strings.HasPrefix(command, "docker-compose ") {
			script.WriteString(command)
		}
	}
	c := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script.String())
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", &script, err, out)
	}
}

// Whoever wants the metrics in another container names the server as it is
// called in a network that leads nowhere else. Names are listened on, too; here
// it is the one name that every machine has.
func TestCompose_Metrics(t *testing.T) {
	t.Parallel()
	compose, text := readCompose(t)
	var networks map[string]struct {
		Aliases []string `yaml:"aliases"`
	}
	node := compose.Services["server"].Networks
	if err := node.Decode(&networks); err != nil {
		t.Fatal(err)
	}
	n := compose.Networks["metrics"]
	setting, name, _ := strings.Cut(strings.TrimSuffix(n.Name, "}"), ":-")
	if !n.Internal || setting != "${TEAMMEM_METRICS_NETWORK" || !strings.Contains(text, "let it join the network "+name+",") {
		t.Errorf("the network is %+v", n)
	}
	_, address, _ := strings.Cut(text, "set TEAMMEM_METRICS_LISTEN=")
	address, _, _ = strings.Cut(address, ",")
	host, _, err := net.SplitHostPort(address)
	if err != nil || !slices.Contains(networks["metrics"].Aliases, host) || checkMetrics(address) != nil {
		t.Errorf("the server is told to listen on %q, and is called %v: %v", address, networks["metrics"].Aliases, err)
	}
	for name, n := range networks {
		if name != "metrics" && len(n.Aliases) > 0 {
			t.Errorf("in the network %s it has a name, too", name)
		}
	}
	s := startWatched(t, t.TempDir(), nil, "--database-url", testdb.New(t), "--metrics-listen", "localhost:0")
	if status := statusOf(t, s.probes+"/metrics", ""); status != http.StatusOK {
		t.Errorf("the metrics: status %d", status)
	}
}

// composeEnv is the environment of a service, with the places of this test.
// What is left to the person who starts it has its default, or is not set.
func composeEnv(t *testing.T, vars map[string]string, places *strings.Replacer) []string {
	t.Helper()
	known := settingVariables()
	var env []string
	for name, value := range vars {
		if !slices.Contains(known, name) {
			t.Errorf("%s is no setting", name)
		}
		if said, found := strings.CutPrefix(value, "${"); found {
			_, value, _ = strings.Cut(strings.TrimSuffix(said, "}"), ":-")
		}
		env = append(env, name+"="+places.Replace(value))
	}
	return env
}

func settingVariables() []string {
	var names []string
	for _, s := range settings() {
		names = append(names, s.variable())
		if s.secret {
			names = append(names, s.fileVariable())
		}
	}
	return names
}

// freePort returns a port that nobody listens on, and that no system gives to
// whoever asks for any.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		port := strconv.Itoa(20000 + rand.IntN(10000))
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "0.0.0.0:"+port)
		if err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return port
		}
	}
}

// Where docker-compose is installed, it is asked as well.
func TestCompose_Accepted(t *testing.T) {
	t.Parallel()
	compose, err := exec.LookPath("docker-compose")
	if err != nil {
		t.Log("docker-compose is not installed: the file is only read as YAML")
		if c, _ := readCompose(t); len(c.Services) != 2 {
			t.Errorf("%d services", len(c.Services))
		}
		return
	}
	c := exec.CommandContext(t.Context(), compose, "--file", filepath.Join("..", "..", "docker-compose.yml"), "config", "--quiet")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The image runs commands that there are, and sets settings that there are.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, want := range []string{
		"\nUSER 65532:65532\n", "\nENTRYPOINT [\"/usr/local/bin/teammem\"]\nCMD [\"serve\"]\n", " CMD [\"/usr/local/bin/teammem\", \"health\"]\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %q", want)
		}
	}
	if strings.Index(text, "COPY internal/lean") > strings.Index(text, "go mod download") {
		t.Error("go mod download needs the libraries in internal/lean")
	}
	_, env, _ := strings.Cut(text, "\nENV ")
	env, _, _ = strings.Cut(env, "\n")
	for _, pair := range strings.Fields(env) {
		if name, _, _ := strings.Cut(pair, "="); !slices.Contains(settingVariables(), name) {
			t.Errorf("%s is no setting", name)
		}
	}
	commandExists(t, "health")
	commandExists(t, "serve")
}

// The unit's command line and variables are ours.
func TestUnit(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "..", "examples", "systemd", "teammem.service"))
	if err != nil {
		t.Fatal(err)
	}
	started := false
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "ExecStart":
			words := strings.Fields(value)
			started = words[0] == "/usr/local/bin/teammem"
			commandExists(t, words[1:]...)
		case "Environment":
			for _, pair := range strings.Fields(value) {
				if name, _, _ := strings.Cut(pair, "="); !slices.Contains(settingVariables(), name) {
					t.Errorf("%s is no setting", name)
				}
			}
		}
	}
	if !started {
		t.Error("it does not start teammem")
	}
}

// commandExists fails unless the words are a command line of ours.
func commandExists(t *testing.T, words ...string) {
	t.Helper()
	c, args, err := newTestApp(t).newRootCommand(words).Find(words)
	if err == nil {
		err = c.ParseFlags(args)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil || c.Name() != words[0] {
		t.Errorf("%v: %v", words, err)
	}
}
