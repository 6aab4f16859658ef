package bankapi_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// creating is a request to create a group, with a body of so many bytes.
func creating(body io.Reader, length int64) *http.Request {
	r := httptest.NewRequest(http.MethodPost, contract.GroupsCreate.Path, body)
	r.ContentLength = length
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("transactionId", "t")
	return r
}

// Large bodies wait until there is room for them, and are refused in the end; small ones wait for nobody.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	simtest.Scenario(t, simtest.FrozenRetail)
	const mib = 1 << 20
	synctest.Test(t, func(t *testing.T) {
		sandboxes := simtest.Registry(t, simtest.FrozenRetail)
		defer sandboxes.Close()
		bank := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler), Bodies: mib})
		answer := func(body string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			bank.ServeHTTP(w, creating(strings.NewReader(body), int64(len(body))))
			return w
		}
		slow, sender := io.Pipe()
		done := make(chan int)
		go func() {
			w := httptest.NewRecorder()
			bank.ServeHTTP(w, creating(slow, mib))
			done <- w.Code
		}()
		synctest.Wait()

		large := `{"groupName":"Large","other":"` + strings.Repeat("n", 10_000) + `"}`
		w := answer(large)
		assert.Equal(t, 503, w.Code)
		assert.Equal(t, "2", w.Header().Get("Retry-After"))
		assert.Equal(t, "BANKSIM_OVERLOADED", contract.ErrorCode(w.Body.Bytes()))
		assert.Equal(t, 200, answer(`{"groupName":"Small"}`).Code)

		_ = sender.CloseWithError(io.ErrUnexpectedEOF)
		assert.Equal(t, 400, <-done)
		assert.Equal(t, 200, answer(large).Code, "there is room again")
	})
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func TestABodyThatIsTooLargeIsNotRead(t *testing.T) {
	t.Parallel()
	sandboxes := simtest.Registry(t, simtest.FrozenRetail)
	defer sandboxes.Close()
	w := httptest.NewRecorder()
	bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)}).ServeHTTP(w, creating(unread{t}, 2<<20))
	assert.Equal(t, 413, w.Code)
	x, _ := sandboxes.Default().Now().Journal.Get("1")
	assert.Equal(t, 2<<20, x.Request.BodyBytes)
	assert.True(t, x.Request.BodyTruncated)
}
