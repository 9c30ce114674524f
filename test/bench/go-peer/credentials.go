package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// secretMetadata is what is watched of Secrets: their data stays out of the cache.
func secretMetadata() *metav1.PartialObjectMetadata {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return secret
}

// credentials reads each version of a Secret once, however many objects refer to it.
type credentials struct {
	cached client.Reader
	live   client.Reader

	mutex sync.Mutex
	known map[client.ObjectKey]credential
}

type credential struct {
	resourceVersion string
	authorization   string
}

func (c *credentials) of(ctx context.Context, key client.ObjectKey) (credential, error) {
	metadata := secretMetadata()
	if err := c.cached.Get(ctx, key, metadata); err != nil {
		return credential{}, err
	}
	// Held over the read: who comes meanwhile waits for the same answer.
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if found, ok := c.known[key]; ok && found.resourceVersion == metadata.ResourceVersion {
		return found, nil
	}
	secret := &corev1.Secret{}
	if err := c.live.Get(ctx, key, secret); err != nil {
		return credential{}, err
	}
	id, password := secret.Data["keyId"], secret.Data["keySecret"]
	if len(id) == 0 || len(password) == 0 {
		return credential{}, fmt.Errorf("Secret %s has no keyId and keySecret", key)
	}
	pair := fmt.Sprintf("%s:%s", id, password)
	found := credential{
		resourceVersion: metadata.ResourceVersion,
		authorization:   "Basic " + base64.StdEncoding.EncodeToString([]byte(pair)),
	}
	c.known[key] = found
	return found, nil
}
