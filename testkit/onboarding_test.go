package testkit_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Onboarding makes a new customer at home with the bank: it accepts the terms for them, switches their accounts to
// electronic statements, and sets up an alert.
type Onboarding struct {
	BaseURL, Token string
	HTTP           *http.Client
}

func (o *Onboarding) Welcome(user string) error {
	if err := o.acceptTerms(user); err != nil {
		return err
	}
	if err := o.goPaperless(user); err != nil {
		return err
	}
	return o.addAlert(user)
}

const (
	disclosuresPath = "/digitalbanking/db-disclosures/v1/institution-user-disclosures?hostUserId="
	paperlessPath   = "/digitalbanking/ux-users/v2/e-statements/user/preferences?hostUserId="
	alertsPath      = "/digitalbanking/db-alerts-preferences/v1/alert-preferences"
)

func (o *Onboarding) acceptTerms(user string) error {
	_, err := o.send(&http.Client{}, "POST", disclosuresPath+user, user, terms("ACCEPTED"))
	return err
}

func terms(status string) map[string]any {
	return map[string]any{
		"institutionDisclosureName": "OLS", "institutionUserDisclosureStatus": status, "paperWaiver": false,
	}
}

func (o *Onboarding) goPaperless(user string) error {
	_, err := o.send(o.HTTP, "PUT", paperlessPath+user, user, map[string]any{"activateEstatement": true})
	return err
}

// addAlert tries again if the bank doesn't answer, or answers badly.
func (o *Onboarding) addAlert(user string) (err error) {
	for range 3 {
		_, err = o.send(o.HTTP, "POST", alertsPath, user, lowBalance)
		if err == nil {
			return nil
		}
	}
	return err
}

var lowBalance = map[string]any{
	"alertOpted":             true,
	"alertPreferenceDetails": map[string]any{"alertTypeName": "LOW_BALANCE", "channelTypeName": "EMAIL"},
}

// refused is an answer of the bank that isn't a success.
type refused struct {
	status int
	body   []byte
}

func (r refused) Error() string { return fmt.Sprintf("%d: %s", r.status, r.body) }

// send sends a request and returns the body of the answer.
func (o *Onboarding) send(client *http.Client, method, path, user string, body any) ([]byte, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequest(method, o.BaseURL+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	id := newID()
	for name, value := range map[string]string{
		"Authorization": "Bearer " + o.Token, "Content-Type": "application/json",
		"transactionId": id, "correlationid": id, "fiid": "02688", "userid": user,
	} {
		r.Header.Set(name, value)
	}
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode >= 300:
		return nil, refused{res.StatusCode, answer}
	case len(answer) > 0 && !json.Valid(answer):
		return nil, fmt.Errorf("the answer is no JSON: %s", answer)
	}
	return answer, nil
}

// newID returns a random UUID, which names a request.
func newID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // it never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// newClient returns a client with a deadline for each request.
func newClient() *http.Client {
	return &http.Client{Timeout: time.Second, Transport: &http.Transport{}}
}
