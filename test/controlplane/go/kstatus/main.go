// Says what Flux makes of objects: by the kstatus library, and by the expressions of a Kustomization where a file with
// its spec.healthCheckExprs is given. JSON in, one object after another; lines out.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	// Absent where no expressions are for its kind.
	Expressions string `json:"expressions,omitempty"`
}

type evaluators map[schema.GroupVersionKind]*cel.StatusEvaluator

func readEvaluators(file string) (evaluators, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var checks []kustomize.CustomHealthCheck
	if err := json.Unmarshal(text, &checks); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	found := evaluators{}
	for _, check := range checks {
		kind := schema.FromAPIVersionAndKind(check.APIVersion, check.Kind)
		if found[kind], err = cel.NewStatusEvaluator(&check.HealthCheckExpressions); err != nil {
			return nil, fmt.Errorf("%s: %w", check.Kind, err)
		}
	}
	return found, nil
}

func (known evaluators) judge(document json.RawMessage) (verdict, error) {
	object := new(unstructured.Unstructured)
	if err := object.UnmarshalJSON(document); err != nil {
		return verdict{}, err
	}
	result, err := status.Compute(object)
	if err != nil {
		return verdict{}, fmt.Errorf("%s: %w", object.GetName(), err)
	}
	said := verdict{Status: result.Status.String(), Message: result.Message}
	if evaluator := known[object.GroupVersionKind()]; evaluator != nil {
		own, err := evaluator.Evaluate(context.Background(), object)
		if err != nil {
			return verdict{}, fmt.Errorf("%s: %w", object.GetName(), err)
		}
		said.Expressions = own.Status.String()
	}
	return said, nil
}

func run() error {
	known := evaluators{}
	if len(os.Args) > 1 {
		var err error
		if known, err = readEvaluators(os.Args[1]); err != nil {
			return err
		}
	}
	documents := json.NewDecoder(os.Stdin)
	verdicts := json.NewEncoder(os.Stdout)
	for {
		var document json.RawMessage
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		said, err := known.judge(document)
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
