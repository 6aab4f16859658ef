package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestControlURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0.0.0.0:8081":               "http://0.0.0.0:8081", // BANKSIM_CONTROL of the image
		"[::1]:8081":                 "http://[::1]:8081",
		"https://bank.example/ctl//": "https://bank.example/ctl",
		"http://me:secret@bank:8081": "http://bank:8081",
		"http://bank/#token=x":       "http://bank",
		"me:secret@bank:8081?t=x":    "http://bank:8081",
	} {
		client, err := controlFlags{Control: text}.client(t.Context(), "")
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, client.URL, text)
		}
	}
	for _, text := range []string{"", "8081", "ftp://bank:8081", "http://"} {
		_, err := controlFlags{Control: text}.client(t.Context(), "")
		assert.ErrorAs(t, err, new(wrongUse))
	}
}
