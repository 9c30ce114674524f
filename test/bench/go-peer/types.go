package main

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "pipewright.dev", Version: "v1alpha1"}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &PipeSettings{}, &PipeSettingsList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}

type PipeSettings struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PipeSettingsSpec   `json:"spec"`
	Status PipeSettingsStatus `json:"status,omitempty"`
}

type PipeSettingsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []PipeSettings `json:"items"`
}

type PipeSettingsSpec struct {
	OrganizationID       string    `json:"organizationId"`
	ServiceID            string    `json:"serviceId"`
	PipeID               string    `json:"pipeId"`
	CredentialsSecretRef SecretRef `json:"credentialsSecretRef"`
	Settings             Settings  `json:"settings"`
}

type SecretRef struct {
	Name string `json:"name"`
}

type Settings struct {
	StreamingMaxInsertWaitMs              *int64 `json:"streaming_max_insert_wait_ms,omitempty"`
	ObjectStorageConcurrency              *int64 `json:"object_storage_concurrency,omitempty"`
	ObjectStoragePollingIntervalMs        *int64 `json:"object_storage_polling_interval_ms,omitempty"`
	ObjectStorageMaxInsertBytes           *int64 `json:"object_storage_max_insert_bytes,omitempty"`
	ObjectStorageMaxFileCount             *int64 `json:"object_storage_max_file_count,omitempty"`
	EngineMaxThreads                      *int64 `json:"engine_max_threads,omitempty"`
	EngineMaxInsertThreads                *int64 `json:"engine_max_insert_threads,omitempty"`
	EngineMinInsertBlockSizeBytes         *int64 `json:"engine_min_insert_block_size_bytes,omitempty"`
	EngineMaxDownloadThreads              *int64 `json:"engine_max_download_threads,omitempty"`
	EngineParallelDistributedInsertSelect *int64 `json:"engine_parallel_distributed_insert_select,omitempty"`
	ObjectStorageUseClusterFunction       *bool  `json:"object_storage_use_cluster_function,omitempty"`
	EngineParallelViewProcessing          *bool  `json:"engine_parallel_view_processing,omitempty"`
}

type PipeSettingsStatus struct {
	ObservedGeneration int64              `json:"observedGeneration"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	LastRequest        *LastRequest       `json:"lastRequest,omitempty"`
	Attempts           *int64             `json:"attempts,omitempty"`
	Verified           *Verified          `json:"verified,omitempty"`
	Applied            *Applied           `json:"applied,omitempty"`
	Settings           *Settings          `json:"settings,omitempty"`
	History            []HistoryEntry     `json:"history,omitempty"`
}

type LastRequest struct {
	Operation  string      `json:"operation"`
	RequestID  string      `json:"requestId,omitempty"`
	HTTPStatus int64       `json:"httpStatus,omitempty"`
	Outcome    string      `json:"outcome"`
	Time       metav1.Time `json:"time"`
}

type Verified struct {
	Time    metav1.Time `json:"time"`
	APIHash string      `json:"apiHash"`
}

type Applied struct {
	Time                  metav1.Time `json:"time"`
	Generation            int64       `json:"generation"`
	RequestID             string      `json:"requestId,omitempty"`
	RequestHash           string      `json:"requestHash"`
	ResponseHash          string      `json:"responseHash,omitempty"`
	SecretResourceVersion string      `json:"secretResourceVersion,omitempty"`
	Keys                  []string    `json:"keys"`
}

type HistoryEntry struct {
	Time       metav1.Time `json:"time"`
	Generation int64       `json:"generation"`
	RequestID  string      `json:"requestId,omitempty"`
	Changes    []Change    `json:"changes"`
}

// Change holds numbers and booleans as they were sent; nothing changes these bytes, so copies share them.
type Change struct {
	Field string          `json:"field"`
	From  json.RawMessage `json:"from,omitempty"`
	To    json.RawMessage `json:"to,omitempty"`
}

func (in *PipeSettings) DeepCopyObject() runtime.Object {
	out := new(PipeSettings)
	in.deepCopyInto(out)
	return out
}

func (in *PipeSettingsList) DeepCopyObject() runtime.Object {
	out := &PipeSettingsList{TypeMeta: in.TypeMeta, Items: make([]PipeSettings, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].deepCopyInto(&out.Items[i])
	}
	return out
}

func (in *PipeSettings) deepCopyInto(out *PipeSettings) {
	out.TypeMeta = in.TypeMeta
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec = in.Spec
	out.Spec.Settings = in.Spec.Settings.deepCopy()
	out.Status = in.Status.deepCopy()
}

func (in PipeSettingsStatus) deepCopy() PipeSettingsStatus {
	out := in
	if in.Conditions != nil {
		out.Conditions = make([]metav1.Condition, len(in.Conditions))
		copy(out.Conditions, in.Conditions)
	}
	out.LastRequest = copied(in.LastRequest)
	out.Attempts = copied(in.Attempts)
	out.Verified = copied(in.Verified)
	out.Applied = copied(in.Applied)
	if in.Applied != nil && in.Applied.Keys != nil {
		out.Applied.Keys = append([]string{}, in.Applied.Keys...)
	}
	if in.Settings != nil {
		settings := in.Settings.deepCopy()
		out.Settings = &settings
	}
	if in.History != nil {
		out.History = make([]HistoryEntry, len(in.History))
		for i, entry := range in.History {
			out.History[i] = entry
			out.History[i].Changes = append([]Change{}, entry.Changes...)
		}
	}
	return out
}

func (in Settings) deepCopy() Settings {
	return Settings{
		StreamingMaxInsertWaitMs:              copied(in.StreamingMaxInsertWaitMs),
		ObjectStorageConcurrency:              copied(in.ObjectStorageConcurrency),
		ObjectStoragePollingIntervalMs:        copied(in.ObjectStoragePollingIntervalMs),
		ObjectStorageMaxInsertBytes:           copied(in.ObjectStorageMaxInsertBytes),
		ObjectStorageMaxFileCount:             copied(in.ObjectStorageMaxFileCount),
		EngineMaxThreads:                      copied(in.EngineMaxThreads),
		EngineMaxInsertThreads:                copied(in.EngineMaxInsertThreads),
		EngineMinInsertBlockSizeBytes:         copied(in.EngineMinInsertBlockSizeBytes),
		EngineMaxDownloadThreads:              copied(in.EngineMaxDownloadThreads),
		EngineParallelDistributedInsertSelect: copied(in.EngineParallelDistributedInsertSelect),
		ObjectStorageUseClusterFunction:       copied(in.ObjectStorageUseClusterFunction),
		EngineParallelViewProcessing:          copied(in.EngineParallelViewProcessing),
	}
}

func copied[T any](in *T) *T {
	if in == nil {
		return nil
	}
	out := *in
	return &out
}
