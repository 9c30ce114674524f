package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	ready       = "Ready"
	mostHistory = 10
)

type reconciler struct {
	client      client.Client
	credentials *credentials
	api         *api
	// example is a status of the operator that this program is compared with: the same shape and
	// size, so that both write the same to the API server.
	example PipeSettingsStatus
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &PipeSettings{}
	if err := r.client.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if isSettled(object) || !object.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	key := client.ObjectKey{Namespace: object.Namespace, Name: object.Spec.CredentialsSecretRef.Name}
	credential, err := r.credentials.of(ctx, key)
	if err != nil {
		return ctrl.Result{}, err
	}
	answer, err := r.api.put(ctx, &object.Spec, credential.authorization)
	if err != nil {
		return ctrl.Result{}, err
	}
	object.Status, err = r.statusOf(object, credential, answer)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.client.Status().Update(ctx, object); err != nil {
		return ctrl.Result{}, err
	}
	log.FromContext(ctx).Info("applied", "generation", object.Generation,
		"requestId", answer.RequestID, "httpStatus", answer.Status)
	return ctrl.Result{}, nil
}

func isSettled(object *PipeSettings) bool {
	return object.Status.ObservedGeneration == object.Generation &&
		meta.IsStatusConditionTrue(object.Status.Conditions, ready)
}

func (r *reconciler) statusOf(object *PipeSettings, credential credential, answer *answer) (PipeSettingsStatus, error) {
	requestHash, err := hashOf(object.Spec.Settings)
	if err != nil {
		return PipeSettingsStatus{}, err
	}
	changes, err := changesOf(&object.Spec.Settings, object.Status.Settings)
	if err != nil {
		return PipeSettingsStatus{}, err
	}
	responseHash, err := hashOf(answer.Result)
	if err != nil {
		return PipeSettingsStatus{}, err
	}
	now := metav1.Now()
	generation := object.Generation
	status := r.example.deepCopy()
	status.ObservedGeneration = generation
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		condition.ObservedGeneration = generation
		condition.LastTransitionTime = now
		before := meta.FindStatusCondition(object.Status.Conditions, condition.Type)
		if before != nil && before.Status == condition.Status {
			condition.LastTransitionTime = before.LastTransitionTime
		}
	}
	status.LastRequest.RequestID = answer.RequestID
	status.LastRequest.HTTPStatus = int64(answer.Status)
	status.LastRequest.Time = now
	status.Verified.Time = now
	status.Applied.Time = now
	status.Applied.Generation = generation
	status.Applied.RequestID = answer.RequestID
	status.Applied.RequestHash = requestHash
	status.Applied.ResponseHash = responseHash
	status.Applied.SecretResourceVersion = credential.resourceVersion
	status.Settings = &answer.Result
	status.History = object.Status.History
	if len(changes) > 0 {
		entry := HistoryEntry{Time: now, Generation: generation, RequestID: answer.RequestID, Changes: changes}
		status.History = append(status.History, entry)
		status.History = status.History[max(0, len(status.History)-mostHistory):]
	}
	return status, nil
}

// changesOf compares what is declared with what the API last reported.
func changesOf(declared, reported *Settings) ([]Change, error) {
	to, err := fieldsOf(declared)
	if err != nil {
		return nil, err
	}
	from, err := fieldsOf(reported)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for _, field := range slices.Sorted(maps.Keys(to)) {
		if !bytes.Equal(to[field], from[field]) {
			changes = append(changes, Change{Field: field, From: from[field], To: to[field]})
		}
	}
	return changes, nil
}

// fieldsOf is null, and so an empty map, where there are no settings.
func fieldsOf(settings *Settings) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	err = json.Unmarshal(text, &fields)
	return fields, err
}

func hashOf(value Settings) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
