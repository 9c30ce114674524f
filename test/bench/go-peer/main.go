// An operator for PipeSettings as users of controller-runtime write it, for Pipewright to be compared with: nothing
// but a PUT and a write of the status. It finds its options in PEER_OPTIONS; test/bench/README.md says how it is built
// for speed. Prints "peer ready" once its caches are filled.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// secretName indexes objects by the Secret that they refer to.
const secretName = "spec.credentialsSecretRef.name"

type options struct {
	Server      string          `json:"server"`
	CA          string          `json:"ca"`
	Token       string          `json:"token"`
	APIURL      string          `json:"apiUrl"`
	Namespace   string          `json:"namespace"`
	Concurrency int             `json:"concurrency"`
	Status      json.RawMessage `json:"status"`
}

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var given options
	if err := json.Unmarshal([]byte(os.Getenv("PEER_OPTIONS")), &given); err != nil {
		return fmt.Errorf("PEER_OPTIONS: %w", err)
	}
	example, err := readExample(given.Status)
	if err != nil {
		return err
	}
	mgr, err := newManager(given)
	if err != nil {
		return err
	}
	reconciler := &reconciler{
		client: mgr.GetClient(),
		credentials: &credentials{
			cached: mgr.GetClient(),
			live:   mgr.GetAPIReader(),
			known:  map[client.ObjectKey]credential{},
		},
		api:     newAPI(given.APIURL, given.Concurrency),
		example: example,
	}
	if err := watch(ctx, mgr, reconciler, given.Concurrency); err != nil {
		return err
	}
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		if mgr.GetCache().WaitForCacheSync(ctx) {
			fmt.Println("peer ready")
		}
		return nil
	})); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// readExample refuses what the types here do not have: without it the status written would be a smaller one.
func readExample(text json.RawMessage) (PipeSettingsStatus, error) {
	var status PipeSettingsStatus
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&status); err != nil {
		return status, fmt.Errorf("the status in PEER_OPTIONS: %w", err)
	}
	if status.LastRequest == nil || status.Verified == nil || status.Applied == nil || status.Settings == nil {
		return status, errors.New("the status in PEER_OPTIONS is not that of an object that was applied")
	}
	return status, nil
}

func newManager(given options) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := addToScheme(scheme); err != nil {
		return nil, err
	}
	config := &rest.Config{
		Host:            given.Server,
		BearerToken:     given.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: []byte(given.CA)},
		UserAgent:       "go-peer",
		QPS:             -1,
	}
	return ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme,
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{given.Namespace: {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
		},
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
}

func watch(ctx context.Context, mgr ctrl.Manager, reconciler reconcile.Reconciler, atOnce int) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &PipeSettings{}, secretName, func(object client.Object) []string {
		return []string{object.(*PipeSettings).Spec.CredentialsSecretRef.Name}
	}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("pipesettings").
		For(&PipeSettings{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(referring(mgr.GetClient()))).
		WithOptions(controller.Options{MaxConcurrentReconciles: atOnce}).
		Complete(reconciler)
}

// referring finds the objects that refer to a Secret.
func referring(reader client.Reader) handler.MapFunc {
	return func(ctx context.Context, secret client.Object) []reconcile.Request {
		var list PipeSettingsList
		// Their names alone are read here, so nothing is copied.
		if err := reader.List(ctx, &list, client.InNamespace(secret.GetNamespace()),
			client.MatchingFields{secretName: secret.GetName()}, client.UnsafeDisableDeepCopy); err != nil {
			ctrl.Log.Error(err, "cannot list objects", "secret", secret.GetName())
			return nil
		}
		requests := make([]reconcile.Request, 0, len(list.Items))
		for i := range list.Items {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
		return requests
	}
}
