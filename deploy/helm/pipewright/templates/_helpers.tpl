{{- define "pipewright.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "pipewright.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains (include "pipewright.name" .) .Release.Name -}}
{{- .Release.Name | replace "." "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "pipewright.name" .) | replace "." "-" | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "pipewright.selectorLabels" -}}
app.kubernetes.io/name: {{ include "pipewright.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "pipewright.labels" -}}
{{ include "pipewright.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "pipewright.metadata" -}}
name: {{ include "pipewright.fullname" . | quote }}
namespace: {{ .Release.Namespace | quote }}
labels:
  {{- include "pipewright.labels" . | nindent 2 }}
{{- end -}}

{{- define "pipewright.serviceAccountName" -}}
{{- default (ternary (include "pipewright.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "pipewright.image" -}}
{{- with .Values.image -}}
{{- .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Without `keep` Helm deletes the CRDs with the release, and every object with them. */}}
{{- define "pipewright.keep" -}}
{{- if .Values.crds.keep -}}
annotations:
  helm.sh/resource-policy: keep
{{- end -}}
{{- end -}}

{{/* api.timeout and 15 s: a running call ends, its status is written, the Lease is released. */}}
{{- define "pipewright.gracePeriod" -}}
{{- $start := toDate "2006-01-02" "2000-01-01" -}}
{{- $end := dateModify (default "35s" .Values.api.timeout) $start -}}
{{- sub (unixEpoch $end) (unixEpoch $start) | add 15 -}}
{{- end -}}

{{/* Refused in words, and without repeating what may hold a password. */}}
{{- define "pipewright.checkUrls" -}}
{{- if not (regexMatch "^https?://[^/?#@\\s]+(/[^?#@\\s]*)?$" (required "api.url is required: the base address of the management API, as in --set api.url=https://api.example.com" .Values.api.url)) -}}
{{- fail "api.url must be an address such as https://api.example.com, without a user name, password, ? or #" -}}
{{- end -}}
{{- if and (hasPrefix "http://" .Values.api.url) (not .Values.api.allowHttp) -}}
{{- fail (printf "api.url is %q: keys would travel in clear text; use https, or set api.allowHttp=true where that is meant" .Values.api.url) -}}
{{- end -}}
{{- if not (regexMatch "^(https?://[^/?#@\\s]+/?)?$" (default "" .Values.proxy.url)) -}}
{{- fail "proxy.url must be an address such as http://proxy.example.com:3128; put one with a user name and password into a Secret, and name that in proxy.secret" -}}
{{- end -}}
{{- end -}}

{{/* What is empty is left to the operator's own default. */}}
{{- define "pipewright.env" -}}
{{- include "pipewright.checkUrls" . -}}
{{- $variables := dict
  "PIPEWRIGHT_API_URL" .Values.api.url
  "PIPEWRIGHT_API_ALLOW_HTTP" .Values.api.allowHttp
  "PIPEWRIGHT_API_CA_FILE" (empty .Values.api.ca.configMap | ternary "" "/etc/pipewright/api-ca/ca.crt")
  "PIPEWRIGHT_API_RATE" .Values.api.rate
  "PIPEWRIGHT_API_RATE_TOTAL" .Values.api.rateTotal
  "PIPEWRIGHT_API_IN_FLIGHT" .Values.api.inFlight
  "PIPEWRIGHT_API_TIMEOUT" .Values.api.timeout
  "PIPEWRIGHT_NAMESPACES" (default list .Values.namespaces | join ",")
  "PIPEWRIGHT_SELECTOR" .Values.selector
  "PIPEWRIGHT_SECRET_SELECTOR" .Values.secrets.selector
  "PIPEWRIGHT_PLAN_ONLY" .Values.planOnly
  "PIPEWRIGHT_CLEANUP_DEADLINE" .Values.cleanupDeadline
  "PIPEWRIGHT_LOG_LEVEL" .Values.logLevel
  "PIPEWRIGHT_LEADER_ELECT_NAME" (include "pipewright.fullname" .)
  "NO_PROXY" .Values.proxy.noProxy
-}}
{{- range $name, $value := $variables }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- range $name := list "HTTPS_PROXY" "HTTP_PROXY" }}
{{- if $.Values.proxy.secret }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.proxy.secret | quote }}
      key: {{ $.Values.proxy.key | quote }}
{{- else if $.Values.proxy.url }}
- name: {{ $name }}
  value: {{ $.Values.proxy.url | quote }}
{{- end }}
{{- end }}
{{- end -}}
