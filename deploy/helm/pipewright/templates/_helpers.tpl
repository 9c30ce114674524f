{{- define "pipewright.name" -}}
{{- default .Chart.Name .Values.nameOverride -}}
{{- end -}}

{{/* Every template asks for it before anything else. */}}
{{- define "pipewright.fullname" -}}
{{- include "pipewright.refuseNulls" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains (include "pipewright.name" .) .Release.Name -}}
{{- regexReplaceAll "[-.]+$" (trunc 40 .Release.Name) "" -}}
{{- else -}}
{{- regexReplaceAll "[-.]+$" (printf "%s-%s" .Release.Name (include "pipewright.name" .) | trunc 40) "" -}}
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
{{- with .Values.commonLabels }}
{{ list "commonLabels" . | include "pipewright.ownLabels" }}
{{- end }}
{{- end -}}

{{/* Takes the name of a value and the labels in it. By a label of RBAC, a role of the operator would be part of one of the cluster's. */}}
{{- define "pipewright.ownLabels" -}}
{{- range $key, $_ := index . 1 -}}
{{- if regexMatch "^(app\\.kubernetes\\.io/(name|instance|version|managed-by)$|helm\\.sh/|rbac\\.authorization\\.k8s\\.io/)" $key -}}
{{- fail (printf "%s has %s, which the chart or Kubernetes goes by: leave it out" (index $ 0) $key) -}}
{{- end -}}
{{- end -}}
{{- index . 1 | toYaml -}}
{{- end -}}

{{- define "pipewright.serviceAccountName" -}}
{{- $fallback := ternary (include "pipewright.fullname" .) "default" .Values.serviceAccount.create -}}
{{- default $fallback .Values.serviceAccount.name -}}
{{- end -}}

{{- define "pipewright.leaseNamespace" -}}
{{- default .Release.Namespace .Values.leaderElection.namespace -}}
{{- end -}}

{{/*
The selector in the one spelling that the operator gives it: src/config/label-selector.ts.
*/}}
{{- define "pipewright.selector" -}}
{{- $requirements := list -}}
{{- range regexFindAll "[^,(]+(\\([^)]*\\))?" (default "" .Values.selector) -1 -}}
{{- $values := list -}}
{{- range regexFind "\\(.*\\)" . | trimAll "()" | splitList "," -}}{{- $values = append $values (trim .) -}}{{- end -}}
{{- if contains "(" . -}}
{{- $key := regexFind "^[^(]+" . | trim -}}
{{- $requirements = append $requirements (printf "%s (%s)" (regexReplaceAll "\\s+" $key " ") ($values | uniq | sortAlpha | join ",")) -}}
{{- else if trim . -}}
{{- $requirements = append $requirements (regexReplaceAll "\\s" . "" | replace "==" "=") -}}
{{- end -}}
{{- end -}}
{{- $requirements | uniq | sortAlpha | join "," -}}
{{- end -}}

{{/*
Name of the Lease, which its Role names: as the operator makes it, in src/config/config.ts. It is not told to the operator,
or an upgrade of a release without it could have two at work, one by each name; here a difference is a right that is missing.
*/}}
{{- define "pipewright.leaseName" -}}
{{- $selector := include "pipewright.selector" . -}}
{{- if .Values.leaderElection.name -}}
{{- .Values.leaderElection.name -}}
{{- else if or $selector .Values.namespaces -}}
{{- printf "[%s,%s]" (toJson $selector) (.Values.namespaces | sortAlpha | toJson) | sha256sum | trunc 8 | printf "pipewright-%s" -}}
{{- else -}}
pipewright
{{- end -}}
{{- end -}}

{{- define "pipewright.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The address of the management API, or the refusal of one that cannot work. */}}
{{- define "pipewright.apiUrl" -}}
{{- $url := .Values.api.url -}}
{{- if not $url -}}
{{- fail "api.url is required: the base address of the management API, as in --set api.url=https://api.example.com" -}}
{{- end -}}
{{- if contains "@" $url -}}
{{- fail "api.url has a user name or password in it: the operator takes none, and a ConfigMap would show it; keys belong into Secrets that objects refer to" -}}
{{- end -}}
{{- if not (regexMatch "^https?://[^/?#\\s]+(/[^?#\\s]*)?$" $url) -}}
{{- fail (printf "api.url is %q: give the address with https:// before it, and without a ? or #, as in https://api.example.com" $url) -}}
{{- end -}}
{{- if and (hasPrefix "http://" $url) (not .Values.api.allowHttp) -}}
{{- fail (printf "api.url is %q: keys would travel in clear text; use https, or set api.allowHttp=true where that is meant" $url) -}}
{{- end -}}
{{- $url -}}
{{- end -}}

{{/* Port of the management API. */}}
{{- define "pipewright.apiPort" -}}
{{- $url := include "pipewright.apiUrl" . | urlParse -}}
{{- $port := regexFind ":[0-9]+$" $url.host -}}
{{- if $port -}}
{{- trimPrefix ":" $port -}}
{{- else -}}
{{- ternary "80" "443" (eq $url.scheme "http") -}}
{{- end -}}
{{- end -}}

{{/* Name of the variable that tells the operator its proxy. */}}
{{- define "pipewright.proxyVariable" -}}
{{- ternary "HTTP_PROXY" "HTTPS_PROXY" (hasPrefix "http://" .Values.api.url) -}}
{{- end -}}

{{/* Ports of the proxy that is used, separated by spaces; nothing where none is. */}}
{{- define "pipewright.proxyPorts" -}}
{{- $proxy := .Values.proxy.httpProxy -}}
{{- if ne (include "pipewright.proxyVariable" .) "HTTP_PROXY" -}}{{- $proxy = default $proxy .Values.proxy.httpsProxy -}}{{- end -}}
{{- $given := .Values.networkPolicy.proxy.ports -}}
{{- if and .Values.proxy.secret (not $given) -}}
{{- fail "networkPolicy.proxy.ports is required with proxy.secret: the port of the proxy is in the Secret, where the chart cannot see it" -}}
{{- end -}}
{{- if and $given (or $proxy .Values.proxy.secret) -}}
{{- range $given }}{{ int . }} {{ end -}}
{{- else if $proxy -}}
{{- $port := regexFind ":[0-9]+$" (trimSuffix "/" $proxy) -}}
{{- default (ternary "443" "80" (hasPrefix "https://" $proxy)) (trimPrefix ":" $port) -}}
{{- end -}}
{{- end -}}

{{/* Something where proxy.noProxy may name the management API; the operator knows exactly, in src/config/proxy-environment.ts. */}}
{{- define "pipewright.mayBypassProxy" -}}
{{- $host := get (include "pipewright.apiUrl" . | urlParse) "hostname" | lower -}}
{{- range regexSplit "[,\\s]+" (default "" .Values.proxy.noProxy) -1 -}}
{{- $name := regexReplaceAll "^\\[(.+)](:[0-9]+)?$|^([^:]+):[0-9]+$" . "${1}${3}" | lower -}}
{{- $name = regexReplaceAll "^\\*?\\.|\\.$" $name "" -}}
{{- if and $name (or (eq $name "*") (hasSuffix $name $host)) }}true{{ end -}}
{{- end -}}
{{- end -}}

{{/* Whole seconds of a time written as the operator reads it (1m30s), rounded up. */}}
{{- define "pipewright.seconds" -}}
{{- $milliseconds := 0.0 -}}
{{- range regexFindAll "[0-9.]+(h|ms|m|s)" . -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $amount := trimSuffix $unit . | float64 -}}
{{- $milliseconds = addf $milliseconds (mulf $amount (get (dict "h" 3600000 "m" 60000 "s" 1000 "ms" 1) $unit)) -}}
{{- end -}}
{{- divf $milliseconds 1000 | ceil | int -}}
{{- end -}}

{{/* A running call and 5 s more is what the operator takes to end; then it releases the Lease. */}}
{{- define "pipewright.gracePeriod" -}}
{{- $pass := add (include "pipewright.seconds" (default "35s" .Values.api.timeout) | int) 5 -}}
{{- $given := .Values.terminationGracePeriodSeconds -}}
{{- if and $given (le (int $given) (int $pass)) -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, but with this api.timeout the operator may need %d s to end: set at least %d, or leave it to the chart" (int $given) $pass (add $pass 1)) -}}
{{- end -}}
{{- default (add $pass 10) $given | int -}}
{{- end -}}

{{/* Name of the container's port that has /metrics. */}}
{{- define "pipewright.metricsPort" -}}
{{- ternary "metrics" "http" .Values.metrics.secure.enabled -}}
{{- end -}}

{{/* Name of the Service, which may have no dots. */}}
{{- define "pipewright.metricsName" -}}
{{- include "pipewright.fullname" . | replace "." "-" | printf "%s-metrics" -}}
{{- end -}}

{{/* Names of cluster-wide objects that a release in each of several namespaces may have. */}}
{{- define "pipewright.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "pipewright.fullname" .) -}}
{{- end -}}

{{/* What is left of a map without its nulls, by which a user takes defaults away. */}}
{{- define "pipewright.withoutNulls" -}}
{{- $kept := dict -}}
{{- range $key, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $kept $key $value -}}{{- end -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}

{{/* Without `keep` Helm deletes the CRDs with the release, and every object with them. */}}
{{- define "pipewright.crdAnnotations" -}}
{{- range $key, $_ := .Values.crds.annotations -}}
{{- if regexMatch "^(meta\\.)?helm\\.sh/" $key -}}
{{- fail (printf "crds.annotations has %s, by which Helm would do something else with the CRDs: leave it out; crds.keep says whether they stay" $key) -}}
{{- end -}}
{{- end -}}
{{- $kept := ternary (dict "helm.sh/resource-policy" "keep") (dict) .Values.crds.keep -}}
{{- $all := merge $kept (default dict .Values.crds.annotations) -}}
{{- if $all -}}{{- toYaml $all -}}{{- end -}}
{{- end -}}
