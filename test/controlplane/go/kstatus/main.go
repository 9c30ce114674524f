// Says what the kstatus library, which Flux and kpt go by, makes of objects: JSON in, one after another; lines out.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func judge(document json.RawMessage) (verdict, error) {
	object := new(unstructured.Unstructured)
	if err := object.UnmarshalJSON(document); err != nil {
		return verdict{}, err
	}
	result, err := status.Compute(object)
	if err != nil {
		return verdict{}, fmt.Errorf("%s: %w", object.GetName(), err)
	}
	return verdict{Status: result.Status.String(), Message: result.Message}, nil
}

func run() error {
	documents := json.NewDecoder(os.Stdin)
	verdicts := json.NewEncoder(os.Stdout)
	for {
		var document json.RawMessage
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		said, err := judge(document)
		if err != nil {
			return err
		}
		if err := verdicts.Encode(said); err != nil {
			return err
		}
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
