// Reads objects of the Prometheus operator, as JSON one after another, into that operator's own types, and says which
// fields these do not have. There is no server to ask: its CRDs come with the operator, not with Kubernetes.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)

func typeOf(kind string) any {
	switch kind {
	case "ServiceMonitor":
		return new(monitoring.ServiceMonitor)
	case "PrometheusRule":
		return new(monitoring.PrometheusRule)
	}
	return nil
}

func check(document json.RawMessage) error {
	var head struct{ ApiVersion, Kind string }
	if err := json.Unmarshal(document, &head); err != nil {
		return err
	}
	into := typeOf(head.Kind)
	if into == nil || head.ApiVersion != "monitoring.coreos.com/v1" {
		return fmt.Errorf("%s %s is no kind that is known here", head.ApiVersion, head.Kind)
	}
	strict := json.NewDecoder(bytes.NewReader(document))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", head.Kind, err)
	}
	return nil
}

func main() {
	documents := json.NewDecoder(os.Stdin)
	for count := 0; ; count++ {
		var document json.RawMessage
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			fmt.Println(count)
			return
		}
		if err == nil {
			err = check(document)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
