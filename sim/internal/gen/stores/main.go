// Command stores writes fixtures/stores/2: a store file and a PostgreSQL database in format 2, each with what the
// control API showed of its banks. It runs in the project's folder. BANKSIM_POSTGRES has the URL of a database.
//
// go generate doesn't run it: the files stay, and all later versions must read them. A new format gets a new folder.
package main

import (
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/store"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

const folder = "fixtures/stores/2"

//go:embed bank.yaml
var bank []byte

func main() {
	ctx := context.Background()
	if err := errors.Join(writeFile(ctx), writeDatabase(ctx)); err != nil {
		log.Fatal(err)
	}
}

func writeFile(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "stores")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, err := store.OpenFile(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(ctx, file, "file.json"), file.Close()); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "banks.db"))
	if err != nil {
		return err
	}
	return writePacked("file.db.gz", string(data))
}

// dumpTable returns statements that create the table $T and its rows.
const dumpTable = `SELECT format(
	E'CREATE TABLE $T (%s%s);\nINSERT INTO $T SELECT * FROM json_populate_recordset(NULL::$T, %L);\n',
	(SELECT string_agg(concat(attname, ' ', format_type(atttypid, atttypmod),
			CASE WHEN attnotnull THEN ' NOT NULL' END), ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = '$T'::regclass AND attnum > 0),
	(SELECT string_agg(', ' || pg_get_constraintdef(oid), '') FROM pg_constraint
		WHERE conrelid = '$T'::regclass AND contype IN ('p', 'u')),
	(SELECT coalesce(json_agg(r), '[]') FROM $T r))`

func writeDatabase(ctx context.Context) error {
	schema := fmt.Sprintf("stores%d", time.Now().UnixNano())
	url := os.Getenv("BANKSIM_POSTGRES") + "&search_path=" + schema
	address, err := store.ParseAddress(url)
	if err != nil {
		return err
	}
	database, err := store.OpenPostgres(ctx, address)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(ctx, database, "postgres.json"), database.Close()); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	script := ""
	for _, table := range []string{"format", "banks", "heads", "log", "rows", "exchanges"} {
		var statements string
		err := conn.QueryRow(ctx, strings.ReplaceAll(dumpTable, "$T", table)).Scan(&statements)
		if err != nil {
			return err
		}
		script += statements
	}
	return writePacked("postgres.sql.gz", script)
}

func writePacked(name, content string) error {
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(file)
	_, err = packed.Write([]byte(content))
	return errors.Join(err, packed.Close(), file.Close())
}

// request returns the body of a call that sends an operation's example to the bank.
func request(op *contract.Operation) any {
	e := op.Example()
	return map[string]any{"method": op.Method, "path": e.Path, "headers": e.Headers, "body": e.Content()}
}

// steps are calls of the control API about the default bank, with their bodies.
var steps = []struct {
	call string
	body any
}{
	{"POST /requests", request(contract.GroupsList)}, // exchange 1, with a delay
	{"DELETE /journal", nil},
	{"POST /faults", fault.Rule{
		Name: "down", Operation: fault.Operations{contract.GroupsList.Name}, When: fault.When{Nth: 1},
		Then: fault.Then{Status: 503},
	}},
	{"POST /requests", request(contract.GroupsList)}, // 2: fails
	{"POST /requests", request(contract.GroupsCreate)},
	{"POST /requests", request(contract.GroupsUploadParticipants)},
	{"POST /snapshots", api.NewSnapshot{Name: "one"}},
	{"POST /requests", request(contract.EstatementsUpdateUser)},
	{"POST /requests", request(contract.AlertsCreatePreference)},
	{"POST /requests", request(contract.TokensIssue)},
	{"POST /requests", request(contract.TokensCreateCode)},
	{"POST /requests", request(contract.TokensRevoke)},
	{"POST /clock", json.RawMessage(`{"advance": "1h"}`)}, // after the end of the import
	{"POST /requests", request(contract.JobsList)},
	{"POST /fork", json.RawMessage(`{"name": "fork", "before": "4"}`)},
}

// views show a bank.
var views = []string{"", "/state", "/clock", "/faults", "/snapshots", "/diff", "/keys"}

// fill makes banks in a store, and writes into a file what the control API answers about them, by path.
func fill(ctx context.Context, st sandbox.Store, name string) error {
	sc, err := scenario.Parse("bank.yaml", bank)
	if err != nil {
		return err
	}
	sandboxes, _, err := sandbox.OpenRegistry(ctx, sandbox.Config{Scenario: sc}, st)
	if err != nil {
		return err
	}
	defer sandboxes.Close()
	srv, err := server.Start(ctx, server.Config{Listen: []string{"127.0.0.1:0"}, Control: "127.0.0.1:0",
		PublicURL: "http://bank.example", Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer srv.Close()
	client := api.NewClient(srv.ControlURL(), "", nil)
	for _, step := range steps {
		method, path, _ := strings.Cut(step.call, " ")
		if err := client.Call(ctx, method, api.SandboxPath("default", path), step.body, nil); err != nil {
			return err
		}
	}
	paths := []string{api.SandboxPath("default", "/diff?since=one")}
	for _, sb := range sandboxes.All() {
		for _, view := range views {
			paths = append(paths, api.SandboxPath(sb.Name(), view))
		}
		if st.Shared() { // others keep no exchanges
			paths = append(paths, api.SandboxPath(sb.Name(), "/journal"))
		}
	}
	shown := map[string]json.RawMessage{}
	for _, path := range paths {
		var answer json.RawMessage
		if err := client.Get(ctx, path, &answer); err != nil {
			return err
		}
		shown[path] = answer
	}
	encoded, err := strictjson.EncodeIndented(shown)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), encoded, 0o644)
}
