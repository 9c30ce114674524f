package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

const callTimeout = 30 * time.Second

// api is the management API, over connections that are kept.
type api struct {
	url    string
	client *http.Client
}

type answer struct {
	Status    int      `json:"status"`
	RequestID string   `json:"requestId"`
	Result    Settings `json:"result"`
}

func newAPI(url string, atOnce int) *api {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = atOnce
	return &api{url: url, client: &http.Client{Transport: transport, Timeout: callTimeout}}
}

func (a *api) put(ctx context.Context, spec *PipeSettingsSpec, authorization string) (*answer, error) {
	body, err := json.Marshal(spec.Settings)
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("%s/v1/organizations/%s/services/%s/pipes/%s/settings",
		a.url, spec.OrganizationID, spec.ServiceID, spec.PipeID)
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	// To its end, or the connection is not used again.
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("PUT %s: HTTP %d: %s", url, response.StatusCode, text)
	}
	found := &answer{}
	return found, json.Unmarshal(text, found)
}
